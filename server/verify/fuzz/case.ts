/** How the request was made. */
export const kinds = ['valid', 'grammar', 'mutated', 'oversized', 'wire', 'peer', 'unread'] as const
export type Kind = (typeof kinds)[number]

export interface FuzzRequest {
  readonly method: string
  /** Path and query. Like headers and bodies, may contain placeholders: `@@0.id@@`, `@@reactor.2@@`. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  /** Replaces the bytes that are sent for all the above. */
  readonly bytes?: Uint8Array
}

/** A request to be tested, and the requests that prepare it. */
export interface FuzzCase {
  /** A case depends on the seed and this number only. */
  readonly number: number
  readonly kind: Kind
  /** Of the contract, or a name for a request that is outside of it. */
  readonly operation: string
  readonly title: string
  /** Sent before the request, in order. `@@0.id@@` is the member `id` of the first response. */
  readonly prelude: readonly FuzzRequest[]
  readonly request: FuzzRequest
  /** Values of sensitive members. They must never appear in a problem or in the server's log. */
  readonly secrets: readonly string[]
  /** True if a formula or a target chooses the response: it may have any status, and a problem may have any text. */
  readonly byFormula: boolean
  /** True if the server may close the connection without a response. */
  readonly mayHangUp: boolean
  /** True if the case is sent without concurrent cases, because it is large. */
  readonly alone: boolean
  /** What is checked in addition to the responses. */
  readonly extra?: Extra
}

export type Extra =
  /** The fuzz's own target gets a request for the path, with this body. */
  | { readonly check: 'arrives'; readonly path: string; readonly body?: string }
  /** The caller leaves when the hostile peer has got the request. Then the exchange with the peer ends. */
  | { readonly check: 'left'; readonly peer: number }
  /** The response comes soon, and then the exchange with the hostile peer ends. */
  | { readonly check: 'settles'; readonly peer: number }
  /** The response is not the token that the first request has planted. */
  | { readonly check: 'planted' }
  /** Nobody reads the responses to the request, which some connections send some times. Nobody else notices. */
  | {
      readonly check: 'unread'
      readonly connections: number
      readonly times: number
      readonly behind?: Behind
    }
  /** The request is repeated until it is refused. Another caller's is not refused then. */
  | { readonly check: 'others'; readonly other: FuzzRequest }

/** A request behind those that nobody reads, and one that is refused unless the former was begun. */
interface Behind {
  readonly sent: FuzzRequest
  readonly seen: FuzzRequest
}

/** The values of placeholders, by name. */
export type Values = ReadonlyMap<string, string>

/** The value of a placeholder whose request was refused. */
const nothing = '00000000-0000-4000-8000-000000000000'

export function fill(text: string, values: Values): string {
  return text.includes('@@')
    ? text.replaceAll(/@@([\w.-]+)@@/g, (_, name) => values.get(name) ?? nothing)
    : text
}

/** Makes a request with a body of JSON, if any. */
export function request(
  method: string,
  target: string,
  key: string,
  body?: object | string,
  more: FuzzRequest['headers'] = [],
): FuzzRequest {
  const headers = [['SVC-API-KEY', key] as const, ...more]
  if (body === undefined) return { method, target, headers }
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method, target, headers: [...headers, ['Content-Type', type]], body: text }
}

/** Returns the bytes of a request. */
export function encode(request: FuzzRequest, values: Values, traceId: string): Uint8Array {
  if (request.bytes) return request.bytes
  const { body: given = '' } = request
  const body = typeof given === 'string' ? Buffer.from(fill(given, values)) : given
  const headers = request.headers.map(([name, value]) => `${name}: ${fill(value, values)}`)
  const has = (name: string) => request.headers.some(([given]) => given.toLowerCase() === name)
  // At the beginning, since Node ignores headers after the 2000th.
  if (!has('host')) headers.unshift('Host: localhost')
  if (!has('svc-trace-id')) headers.push(`SVC-TRACE-ID: ${traceId}`)
  const framed = has('content-length') || has('transfer-encoding')
  if (!framed && (body.length > 0 || request.method !== 'GET')) headers.push(`Content-Length: ${body.length}`)
  const head = [`${request.method} ${fill(request.target, values)} HTTP/1.1`, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), body])
}
