/** How the server is to take a request: most are made to find out. */
export type Kind = 'valid' | 'grammar' | 'mutated' | 'oversized' | 'wire'

export interface FuzzRequest {
  readonly method: string
  /** Path and query. Holds placeholders, as headers and texts of bodies do: `@@0.id@@`, `@@reactor.2@@`. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  /** What goes over the socket in place of all the above but the placeholders. */
  readonly bytes?: Uint8Array
}

/** One request that is tried, and those before it that make what it is about. */
export interface FuzzCase {
  /** With the seed, all that this case depends on. */
  readonly number: number
  readonly kind: Kind
  readonly operation: string
  readonly title: string
  /** Run before it, in this order; `@@0.id@@` is the member `id` of the first one's response. */
  readonly prelude: readonly FuzzRequest[]
  readonly request: FuzzRequest
  /** What stands in sensitive places only, and so never in a problem or in the server's log. */
  readonly secrets: readonly string[]
  /** True if the response is the choice of a formula: any status, and any text in a problem. */
  readonly byFormula: boolean
  /** True if the server may close the connection without a response. */
  readonly mayHangUp: boolean
  /** True if it is large enough to be tried alone, so that what it costs is known to be its own. */
  readonly alone: boolean
}

/** Values of placeholders, by what stands between the signs. */
export type Values = ReadonlyMap<string, string>

/** What a placeholder stands for where its request was refused. */
const nothing = '00000000-0000-4000-8000-000000000000'

export function fill(text: string, values: Values): string {
  return text.includes('@@')
    ? text.replaceAll(/@@([\w.-]+)@@/g, (_, name) => values.get(name) ?? nothing)
    : text
}

/** Returns a request as it goes over the socket. */
export function encode(request: FuzzRequest, values: Values, traceId: string): Uint8Array {
  if (request.bytes) return request.bytes
  const body =
    typeof request.body === 'string'
      ? Buffer.from(fill(request.body, values))
      : (request.body ?? Buffer.alloc(0))
  const headers = request.headers.map(([name, value]) => `${name}: ${fill(value, values)}`)
  const has = (name: string) => request.headers.some(([given]) => given.toLowerCase() === name)
  // Of more than 2000 headers Node drops the rest.
  if (!has('host')) headers.unshift('Host: localhost')
  if (!has('svc-trace-id')) headers.push(`SVC-TRACE-ID: ${traceId}`)
  const framed = has('content-length') || has('transfer-encoding')
  if (!framed && (body.length > 0 || request.method !== 'GET')) headers.push(`Content-Length: ${body.length}`)
  const head = [`${request.method} ${fill(request.target, values)} HTTP/1.1`, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), body])
}
