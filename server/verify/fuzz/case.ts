/** How the request was made. */
export type Kind = 'valid' | 'grammar' | 'mutated' | 'oversized' | 'wire'

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
  readonly operation: string
  readonly title: string
  /** Sent before the request, in order. `@@0.id@@` is the member `id` of the first response. */
  readonly prelude: readonly FuzzRequest[]
  readonly request: FuzzRequest
  /** Values of sensitive members. They must never appear in a problem or in the server's log. */
  readonly secrets: readonly string[]
  /** True if a formula chooses the response: it may have any status, and a problem may have any text. */
  readonly byFormula: boolean
  /** True if the server may close the connection without a response. */
  readonly mayHangUp: boolean
  /** True if the case is sent without concurrent cases, because it is large. */
  readonly alone: boolean
}

/** The values of placeholders, by name. */
export type Values = ReadonlyMap<string, string>

/** The value of a placeholder whose request was refused. */
const nothing = '00000000-0000-4000-8000-000000000000'

function fill(text: string, values: Values): string {
  return text.includes('@@')
    ? text.replaceAll(/@@([\w.-]+)@@/g, (_, name) => values.get(name) ?? nothing)
    : text
}

/** Returns the bytes of a request. */
export function encode(request: FuzzRequest, values: Values, traceId: string): Uint8Array {
  if (request.bytes) return request.bytes
  const body =
    typeof request.body === 'string'
      ? Buffer.from(fill(request.body, values))
      : (request.body ?? Buffer.alloc(0))
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
