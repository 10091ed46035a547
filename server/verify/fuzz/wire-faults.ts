import { gzipSync } from 'node:zlib'
import { keys } from './callers.ts'
import type { FuzzRequest } from './case.ts'
import type { Dice } from './dice.ts'
import { anyText } from './grammar/texts.ts'

export interface WireFault {
  readonly title: string
  readonly request: FuzzRequest
  /** True if the bytes are not a complete HTTP request. */
  readonly mayHangUp: boolean
}

type Headers = readonly (readonly [string, string])[]

/** Changes how a request is sent, but not its contents. */
export function wireFault(dice: Dice, request: FuzzRequest): WireFault {
  const [title, change] = dice.pick(faults)
  const { mayHangUp = false, ...changed } = change(request, dice)
  return { title, request: { ...request, ...changed }, mayHangUp }
}

type Change = (request: FuzzRequest, dice: Dice) => Partial<FuzzRequest> & { readonly mayHangUp?: boolean }

const without = (headers: Headers, name: string) => headers.filter(([given]) => given.toLowerCase() !== name)
const withHeader = (headers: Headers, name: string, value: string): Headers => [
  ...without(headers, name.toLowerCase()),
  [name, value],
]
const bytesOf = (body: FuzzRequest['body']) =>
  typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? '')

const contentTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/json;charset="UTF-8"',
  'APPLICATION/JSON',
  'application/problem+json',
  '',
  ';',
  'application/json, text/plain',
  `application/json; ${'a=b;'.repeat(500)}`,
]
const methods = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'TRACE', 'PROPFIND', 'LOCK']

const faults: readonly (readonly [title: string, change: Change])[] = [
  [
    'another content type',
    ({ headers }, dice) => ({ headers: withHeader(headers, 'Content-Type', dice.pick(contentTypes)) }),
  ],
  ['no content type', ({ headers }) => ({ headers: without(headers, 'content-type') })],
  ['another method', (_, dice) => ({ method: dice.pick(methods) })],
  [
    'an unknown method',
    (_, dice) => ({ method: dice.pick(['FUZZ', 'get', 'A'.repeat(500)]), mayHangUp: true }),
  ],
  ['no key', ({ headers }) => ({ headers: without(headers, 'svc-api-key') })],
  [
    'another key',
    ({ headers }, dice) => ({
      headers: withHeader(
        headers,
        'SVC-API-KEY',
        dice.pick([...Object.values(keys), 'x', 'x'.repeat(8000), 'key_prv_é', ' ', '__proto__']),
      ),
    }),
  ],
  ['two keys', ({ headers }) => ({ headers: [...headers, ['SVC-API-KEY', keys.masked]] })],
  [
    'a trace id',
    ({ headers }, dice) => ({
      headers: [
        ...headers,
        ['SVC-TRACE-ID', dice.pick(['', 'x'.repeat(200), 'x'.repeat(201), 'é', '%', '" {} \\', '🙂'])],
      ],
    }),
  ],
  [
    'an idempotency key',
    ({ headers }, dice) => ({
      headers: withHeader(
        headers,
        'SVC-IDEMPOTENCY-KEY',
        dice.pick(['', 'x', 'x'.repeat(255), 'x'.repeat(256), 'é', '__proto__', 'a b']),
      ),
    }),
  ],
  [
    'many headers',
    ({ headers }, dice) => ({
      headers: [
        ...headers,
        ...Array.from({ length: dice.pick([100, 1500, 2500]) }, (_, index) => [`X${index}`, 'y'] as const),
      ],
    }),
  ],
  [
    'a long header',
    ({ headers }, dice) => ({
      headers: [...headers, ['X-Long', 'x'.repeat(dice.pick([8_000, 15_500, 17_000, 100_000]))]],
      mayHangUp: true,
    }),
  ],
  [
    'an odd header',
    ({ headers }, dice) => ({
      headers: [
        ...headers,
        [
          dice.pick(['__proto__', 'constructor', 'Host', 'Cookie', 'X Y', 'X:Y', 'é']),
          dice.pick(['a', '\u0000', 'é', 'a\nb', ' ']),
        ],
      ],
      mayHangUp: true,
    }),
  ],
  [
    'an origin',
    ({ headers }, dice) => ({
      headers: [
        ...headers,
        ['Origin', dice.pick(['null', 'https://a.example', 'x', 'https://a.example\u00e9'])],
        ['Access-Control-Request-Method', 'POST'],
      ],
      ...(dice.chance(0.5) ? { method: 'OPTIONS' } : {}),
    }),
  ],
  [
    'an expectation',
    ({ headers }, dice) => ({
      headers: [...headers, ['Expect', dice.pick(['100-continue', 'a miracle'])]],
      mayHangUp: true,
    }),
  ],
  [
    'an upgrade',
    ({ headers }) => ({
      headers: [...headers, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']],
      mayHangUp: true,
    }),
  ],
  [
    'compressed',
    ({ headers, body }) => ({
      headers: [...headers, ['Content-Encoding', 'gzip']],
      body: gzipSync(bytesOf(body)),
    }),
  ],
  ['not UTF-8', ({ body }, dice) => ({ body: broken(bytesOf(body), dice) })],
  ['bytes changed', ({ body }, dice) => ({ body: changedBytes(bytesOf(body), dice) })],
  ['a byte order mark', ({ body }) => ({ body: Buffer.concat([Buffer.from('\ufeff'), bytesOf(body)]) })],
  ['another encoding', ({ body }) => ({ body: Buffer.from(bytesOf(body).toString(), 'utf16le') })],
  ['cut short', ({ body }, dice) => ({ body: bytesOf(body).subarray(0, dice.int(0, bytesOf(body).length)) })],
  ['two bodies', ({ body }) => ({ body: Buffer.concat([bytesOf(body), bytesOf(body)]) })],
  [
    'in chunks',
    ({ headers, body }, dice) => ({
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      body: chunks(bytesOf(body), dice.int(1, 50)),
    }),
  ],
  [
    'in broken chunks',
    ({ headers, body }, dice) => ({
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      body: Buffer.concat([
        Buffer.from(dice.pick(['zz\r\n', '-1\r\n', 'ffffffffffffffff\r\n', '5\r\nabc'])),
        bytesOf(body),
      ]),
      mayHangUp: true,
    }),
  ],
  [
    'a length and chunks',
    ({ headers, body }) => ({
      headers: [...headers, ['Transfer-Encoding', 'chunked'], ['Content-Length', '5']],
      body: chunks(bytesOf(body), 7),
      mayHangUp: true,
    }),
  ],
  [
    'a length that is too long',
    ({ headers, body }, dice) => ({
      headers: [...headers, ['Content-Length', String(bytesOf(body).length + dice.pick([1, 100, 2 ** 21]))]],
      mayHangUp: true,
    }),
  ],
  [
    'a length that is not a number',
    ({ headers }, dice) => ({
      headers: [...headers, ['Content-Length', dice.pick(['-1', '1e3', '5, 6', '', '99999999999999999999'])]],
      mayHangUp: true,
    }),
  ],
  ['the path with other escapes', ({ target }, dice) => ({ target: otherEscapes(target, dice) })],
  [
    'another path',
    ({ target }, dice) => ({
      target: dice.pick([
        `${target}/`,
        `/${target}`,
        `${target}/more`,
        target.toUpperCase(),
        `http://fuzz${target}`,
        `${target}?a=%`,
        `${target}?%00`,
        `${target}#x`,
        '*',
        '/',
        '',
        '/docs/../tokens',
        '/healthz/x',
        '/docs/x',
        '/_dev/nothing',
        '/%5fdev/reset',
      ]),
      mayHangUp: target === '' || true,
    }),
  ],
  ['odd parameters', ({ target }, dice) => ({ target: `${target.split('?')[0]}?${oddQuery(dice)}` })],
  [
    'an incomplete request',
    (_, dice) => ({
      bytes: Buffer.from(
        dice.pick([
          '\r\n\r\n\r\n',
          'GET',
          'GET / HTTP/9.9\r\n\r\n',
          '\u0016\u0003\u0001\u0002',
          `GET ${'/a'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          'GET /healthz HTTP/1.1\r\n\r\n',
          'POST /tokens HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
          `GET / HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(3000)}\r\n`,
        ]),
      ),
      mayHangUp: true,
    }),
  ],
]

function broken(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.int(0, bytes.length)
  const piece = Buffer.from(
    dice.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]),
  )
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}

function changedBytes(bytes: Buffer, dice: Dice): Buffer {
  // A changed host in a callback URL could belong to somebody.
  if (bytes.includes('callback_url') || bytes.length === 0) return bytes
  const copy = Buffer.from(bytes)
  for (let count = dice.int(1, 4); count > 0; count--) {
    copy[dice.int(0, copy.length - 1)] = dice.chance(0.5)
      ? dice.int(0, 255)
      : (Buffer.from(dice.pick([...'{}[]",:\\0 -e']))[0] as number)
  }
  return copy
}

function chunks(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    parts.push(Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\nX-Trailer: a\r\n\r\n')])
}

function otherEscapes(target: string, dice: Dice): string {
  if (target.includes('@@'))
    return target.replace(/^\/(.)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`)
  return (
    [...target]
      .map(letter =>
        dice.chance(0.1) && /[a-z0-9-]/.test(letter) ? `%${letter.charCodeAt(0).toString(16)}` : letter,
      )
      .join('') + dice.pick(['', '%', '%2', '%00', '%ff', '%c0%af', '%2f', '%25', '%20', ';a=b'])
  )
}

function oddQuery(dice: Dice): string {
  const names = [
    'id',
    'type',
    'page',
    'size',
    'start',
    'name',
    'from',
    'to',
    'entity_type',
    'entity_id',
    'metadata',
    'metadata.k',
    'metadata.',
    'metadata[k]',
    'metadata.__proto__',
    '__proto__',
    'constructor',
    'a',
    '',
  ]
  const values = [
    '',
    '1',
    '0',
    '-1',
    '101',
    '1.5',
    '1e3',
    '%',
    '%zz',
    '%00',
    'a%20b',
    '+',
    'null',
    '[]',
    '9'.repeat(30),
    '2030-01-01T00:00:00Z',
    '2030-13-01T00:00:00Z',
    encodeURIComponent(anyText(dice).toWellFormed()),
  ]
  return dice
    .list(1, 8, () => `${dice.pick(names)}${dice.pick(['=', '=', '=', '', '=='])}${dice.pick(values)}`)
    .join('&')
}
