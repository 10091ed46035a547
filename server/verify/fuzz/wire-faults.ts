import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { keys } from './callers.ts'
import type { FuzzCase, FuzzRequest } from './case.ts'
import type { Draw } from './draw.ts'
import { anyText } from './texts.ts'

type WireFault = Pick<FuzzCase, 'title' | 'request' | 'mayHangUp'>
type Change = Partial<FuzzRequest> & { readonly mayHangUp?: boolean }

/** Changes how a request is sent, but not its contents. */
export function wireFault(draw: Draw, request: FuzzRequest): WireFault {
  const [title, changes] = draw(fc.constantFrom(...Object.entries(faults)))
  const { mayHangUp = false, ...changed } = draw(changes(request))
  return { title, request: { ...request, ...changed }, mayHangUp }
}

const split = (values: string) => fc.constantFrom(...values.split('|'))
const bytesOf = ({ body = '' }: FuzzRequest) => Buffer.from(body as string)

/** Values of headers by name. Each takes the place of the header that is there, but `+` adds another one. */
const headers = {
  'Content-Type': `text/plain|application/xml|multipart/form-data; boundary=x|application/json; charset=utf-16|application/json;charset="UTF-8"|APPLICATION/JSON||;|application/json, text/plain|application/json; ${'a=b;'.repeat(500)}`,
  'SVC-API-KEY': [...Object.values(keys), '', 'x', 'x'.repeat(8000), 'key_prv_é', ' ', '__proto__'].join('|'),
  '+SVC-API-KEY': keys.masked,
  'SVC-TRACE-ID': `${'x'.repeat(200)}|${'x'.repeat(201)}||é|%|" {} \\|🙂`,
  'SVC-IDEMPOTENCY-KEY': `x|${'x'.repeat(255)}|${'x'.repeat(256)}||é|__proto__|a b`,
  Origin: 'null|https://a.example|x|https://a.example\u00e9',
  'Content-Encoding': 'gzip|identity|x',
}
/** Values of headers with which the bytes may be no complete request. */
const framing = {
  'X-Long': [8_000, 15_500, 17_000, 100_000].map(size => 'x'.repeat(size)).join('|'),
  Expect: '100-continue|a miracle',
  '+Upgrade': 'websocket\r\nConnection: Upgrade',
  '+Transfer-Encoding': 'chunked|chunked\r\nContent-Length: 5|x',
  'Content-Length': '-1|1e3|5, 6||99999999999999999999|2000000',
  ...Object.fromEntries(
    '__proto__|constructor|+Host|Cookie|X Y|X:Y|é'.split('|').map(name => [name, 'a|\u0000|é|a\nb| ']),
  ),
}

function withHeader(name: string, values: string, mayHangUp: boolean) {
  const plain = name.replace('+', '')
  return ({ headers }: FuzzRequest) => {
    const others = headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase())
    return split(values).map((value): Change => ({ headers: [...others, [plain, value]], mayHangUp }))
  }
}

const body = (change: (bytes: Buffer) => fc.Arbitrary<Buffer>) => (request: FuzzRequest) =>
  change(bytesOf(request)).map((body): Change => ({ body }))
const target = (change: (target: string) => fc.Arbitrary<string>) => (request: FuzzRequest) =>
  change(request.target).map((target): Change => ({ target, mayHangUp: true }))

const escapes = split('%|%2|%00|%ff|%c0%af|%2f|%25|%20|;a=b|#x|/|/more|?a=%|?%00|%F0%9F%99%82')
const elsewhere = split(
  '*|/||/docs/../tokens|/healthz/x|/docs/x|/_dev/nothing|/%5fdev/reset|http://fuzz/tokens|//tokens',
)
const oddParameter = fc.tuple(
  split(
    'id|type|page|size|start|name|from|to|entity_id|metadata|metadata.k|metadata.|metadata[k]|metadata.__proto__|__proto__|a|',
  ),
  split('=|=|=||=='),
  fc.oneof(
    split(`|1|0|-1|101|1.5|1e3|%|%zz|%00|a%20b|+|null|[]|${'9'.repeat(30)}|2030-13-01T00:00:00Z`),
    anyText.map(one => encodeURIComponent(one.toWellFormed())),
  ),
)
const incomplete = fc.constantFrom(
  ...[
    '\r\n\r\n\r\n',
    'GET',
    'GET / HTTP/9.9\r\n\r\n',
    '\u0016\u0003\u0001\u0002',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
  ...['GET /healthz HTTP/1.1\r\n\r\n', 'POST /tokens HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ...[
    `GET ${'/a'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(3000)}\r\n`,
  ],
)

const faults: Readonly<Record<string, (request: FuzzRequest) => fc.Arbitrary<Change>>> = {
  ...Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, withHeader(name, values, false)]),
  ),
  ...Object.fromEntries(
    Object.entries(framing).map(([name, values]) => [name, withHeader(name, values, true)]),
  ),
  'a header less': ({ headers }) =>
    fc.nat(headers.length - 1).map(at => ({ headers: headers.toSpliced(at, 1) })),
  'many headers': ({ headers }) =>
    fc.constantFrom(100, 1500, 2500).map(length => ({
      headers: [...headers, ...Array.from({ length }, (_, at) => [`X${at}`, 'y'] as const)],
    })),
  'another method': () =>
    split('HEAD|OPTIONS|PUT|PATCH|DELETE|POST|GET|TRACE|PROPFIND').map(method => ({ method })),
  'no method': () => split(`FUZZ|get|${'A'.repeat(500)}`).map(method => ({ method, mayHangUp: true })),
  preflight: ({ headers }) =>
    fc.constant({
      method: 'OPTIONS',
      headers: [...headers, ['Origin', 'null'], ['Access-Control-Request-Method', 'PUT']],
    }),
  compressed: request =>
    fc.constant({
      headers: [...request.headers, ['Content-Encoding', 'gzip']],
      body: gzipSync(bytesOf(request)),
    }),
  'not UTF-8': body(bytes =>
    fc
      .tuple(fc.nat(bytes.length), split('ff|c080|eda080|f4908080|e282|efbbbf'))
      .map(([at, piece]) =>
        Buffer.concat([bytes.subarray(0, at), Buffer.from(piece, 'hex'), bytes.subarray(at)]),
      ),
  ),
  // A changed host in a callback URL could belong to somebody.
  'bytes changed': body(bytes =>
    fc.array(fc.tuple(fc.nat(bytes.length), fc.nat(255)), { minLength: 1, maxLength: 4 }).map(changes => {
      const isFixed = bytes.includes('callback_url')
      return changes.reduce(
        (copy, [at, byte]) => (isFixed ? copy : Buffer.from(copy.with(at % copy.length || 0, byte))),
        Buffer.concat([bytes, Buffer.from(' ')]),
      )
    }),
  ),
  'another encoding': body(bytes => fc.constant(Buffer.from(bytes.toString(), 'utf16le'))),
  'cut short': body(bytes => fc.nat(bytes.length).map(at => bytes.subarray(0, at))),
  'two bodies': body(bytes => fc.constant(Buffer.concat([bytes, bytes]))),
  'in chunks': request =>
    fc
      .tuple(fc.integer({ min: 1, max: 50 }), split('||||zz\r\n|-1\r\n|ffffffffffffffff\r\n|5\r\nabc'))
      .map(([size, start]) => ({
        headers: [...request.headers, ['Transfer-Encoding', 'chunked']],
        body: Buffer.concat([Buffer.from(start), chunks(bytesOf(request), size)]),
        mayHangUp: start !== '',
      })),
  'another path': target(given =>
    fc.oneof(
      escapes.map(end => given + end),
      elsewhere,
      fc.constant(given.toUpperCase()),
    ),
  ),
  'an escape in the path': target(given =>
    fc
      .nat(given.length)
      .map(
        at =>
          given.slice(0, at) + given.slice(at).replace(/^[a-z]/, one => `%${one.charCodeAt(0).toString(16)}`),
      ),
  ),
  'odd parameters': ({ target }) =>
    fc.array(oddParameter, { minLength: 1, maxLength: 8 }).map(query => ({
      target: `${target.split('?')[0]}?${query.map(parts => parts.join('')).join('&')}`,
    })),
  'an incomplete request': () => incomplete.map(text => ({ bytes: Buffer.from(text), mayHangUp: true })),
}

function chunks(bytes: Buffer, size: number): Buffer {
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size)
  const parts = starts.flatMap(at => {
    const piece = bytes.subarray(at, at + size)
    return [Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from('\r\n')]
  })
  return Buffer.concat([...parts, Buffer.from('0\r\nX-Trailer: a\r\n\r\n')])
}
