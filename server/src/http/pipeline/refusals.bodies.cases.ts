import { type Refusal, type Shot, text, validation } from './refusals.cases.ts'

/** Bodies refused before any operation: not JSON that can be kept, too large, or of another content type. */
const malformed = { status: 400, code: 'malformed_json' }
const card = '4242424242424242'

const raw = (body: Shot['raw'] & {}): Shot => ({ method: 'POST', path: '/tokens', raw: body })

/** A generic token whose data is this JSON. */
const json = (data: string) => raw(`{"type":"token","data":${data}}`)

function body(name: string, bad: Shot, good: Shot, at?: string): Refusal {
  return {
    name: `body: ${name}`,
    refused: bad,
    control: good,
    ...malformed,
    ...(at === undefined ? {} : { at }),
  }
}

const deep = (levels: number) => `${text(levels, '[')}${text(levels, ']')}`
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map(part => Buffer.from(part as string)))
const aroundText = (inside: number[]) => raw(bytes('{"type":"token","data":"', inside, '"}'))

const whole = `{"type":"card","data":{"number":"${card}"}}`
const limit = 1024 * 1024
const padded = (length: number) => `${text(length - whole.length, ' ')}${whole}`
const inPieces = (length: number) => {
  const padding = padded(length)
  return [padding.slice(0, 700_000), padding.slice(700_000)]
}

const malformedBodies: readonly Refusal[] = [
  body('empty', raw(''), raw(whole)),
  body('blank', raw('  \n'), raw(whole)),
  body('cut off', raw(whole.slice(0, -1)), raw(whole)),
  body('more behind it', raw(`${whole}}`), raw(whole)),
  body('trailing comma', raw(`{"type":"token","data":"${card}",}`), raw(`{"type":"token","data":"${card}"}`)),
  body('single quotes', json(`'${card}'`), json(`"${card}"`)),
  body('a comment', raw(`/**/${whole}`), raw(whole)),
  body('NaN', json('NaN'), json('"NaN"')),
  body('leading zero', json('0123456789012'), json('123456789012')),
  body('control character', json('"a\u0001b"'), json('"a\\u0001b"')),
  body(
    'two byte-order marks',
    raw(bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], whole)),
    raw(bytes([0xef, 0xbb, 0xbf], whole)),
  ),
  body('UTF-16', raw(Buffer.from(whole, 'utf16le')), raw(Buffer.from(whole, 'utf8'))),
  body('a byte that is not UTF-8', aroundText([0xff]), aroundText([0xc3, 0xbf])),
  body('an overlong slash', aroundText([0xc0, 0xaf]), aroundText([0x2f])),
  body('half a character', aroundText([0xe2, 0x82]), aroundText([0xe2, 0x82, 0xac])),
  body('a surrogate in UTF-8', aroundText([0xed, 0xa0, 0x80]), aroundText([0xed, 0x9f, 0xbf])),
  body('a member twice', json('{"a":1,"a":1}'), json('{"a":1,"b":1}'), 'data.a'),
  body('a member twice, once escaped', json('{"a":1,"\\u0061":1}'), json('{"a":1,"\\u0062":1}'), 'data.a'),
  body(
    'type twice',
    raw('{"type":"token","type":"token","data":1}'),
    raw('{"type":"token","data":1}'),
    'type',
  ),
  body('__proto__', json('{"__proto__":{}}'), json('{"__proto":{}}'), 'data.__proto__'),
  body(
    '__proto__ at the top',
    raw('{"type":"token","data":1,"__proto__":{"id":"abc"}}'),
    raw('{"type":"token","data":1}'),
    '__proto__',
  ),
  body('lone surrogate', json('"\\ud800"'), json('"\\ud83d\\ude00"'), 'data'),
  body('lone surrogate in a name', json('{"\\udc00":1}'), json('{"\\u00dc":1}')),
  body('integer beyond the safe ones', json('9007199254740993'), json('9007199254740991'), 'data'),
  body('integer beyond the safe ones, below 0', json('-9007199254740992'), json('-9007199254740991'), 'data'),
  body('integer written with an exponent', json('[1e16]'), json('[1e15]'), 'data.0'),
  body('18 significant digits', json('0.123456789012345678'), json('0.1234567890123456'), 'data'),
  body(
    'a decimal that comes back as another',
    json('0.30000000000000001'),
    json('0.30000000000000004'),
    'data',
  ),
  body(
    'a decimal of too many digits',
    json('[123456789.123456789012]'),
    json('[123456789.12345679]'),
    'data.0',
  ),
  body('a number below the smallest', json('4.9e-324'), json('5e-324'), 'data'),
  body('a number too large', json('1e400'), json('1e-4'), 'data'),
  body('depth 65', raw(`{"type":"token","data":${deep(64)}}`), raw(`{"type":"token","data":${deep(63)}}`)),
  body('nested without an end', raw(text(1_000_000, '[')), raw(whole)),
  body('objects nested without an end', raw('{"a":'.repeat(200_000)), raw(whole)),
]

const shapeless: readonly Refusal[] = [
  { name: 'body: null', refused: raw('null'), control: raw(whole), at: 'body', ...validation },
  { name: 'body: a list', refused: raw(`[${whole}]`), control: raw(whole), at: 'body', ...validation },
  {
    name: 'body: a text',
    refused: raw(JSON.stringify(whole)),
    control: raw(whole),
    at: 'body',
    ...validation,
  },
]

const oversized: readonly Refusal[] = [
  {
    name: 'body: a byte too long',
    refused: raw(padded(limit + 1)),
    control: raw(padded(limit)),
    status: 413,
    code: 'payload_too_large',
  },
  {
    name: 'body: a byte too long, in pieces',
    refused: raw(inPieces(limit + 1)),
    control: raw(inPieces(limit)),
    status: 413,
    code: 'payload_too_large',
  },
]

function contentType(
  name: string,
  type: string | null,
  good: string,
  method = 'POST',
  path = '/tokens',
): Refusal {
  const shot = (given: string | null): Shot => ({
    method,
    path,
    type: given,
    raw: method === 'POST' ? whole : '{}',
  })
  return {
    name: `content type: ${name}`,
    refused: shot(type),
    control: shot(good),
    status: 415,
    code: 'unsupported_media_type',
  }
}

const merge = 'application/merge-patch+json'
const contentTypes: readonly Refusal[] = [
  contentType('none', null, 'application/json'),
  contentType('empty', '', 'application/json'),
  contentType('plain text', 'text/plain', 'application/json'),
  contentType('a form', 'application/x-www-form-urlencoded', 'application/json'),
  contentType('JSON by another name', 'text/json', 'application/json'),
  contentType('a longer name', 'application/jsonx', 'application/json'),
  contentType('a problem', 'application/problem+json', 'application/json'),
  contentType('a merge patch for a POST', merge, 'application/json'),
  contentType('another charset', 'application/json; charset=iso-8859-1', 'application/json; charset=utf-8'),
  contentType('UTF-16', 'application/json;charset=UTF-16', 'Application/JSON;Charset="UTF-8"'),
  contentType('JSON for a patch', 'application/json', merge, 'PATCH', '/tokens/note'),
  contentType('a JSON patch', 'application/json-patch+json', merge, 'PATCH', '/tokens/note'),
  contentType('none for a patch', null, `${merge}; charset=UTF-8`, 'PATCH', '/tokens/note'),
]

export const bodyRefusals: readonly Refusal[] = [
  ...malformedBodies,
  ...shapeless,
  ...oversized,
  ...contentTypes,
]
