/**
 * The result of a call together with the response that it came in.
 *
 * @example
 * ```ts
 * const { data, response, traceId, retries }: Envelope<Token> = await surrogate.tokens.get('token-id').withResponse()
 * console.log(data.id, response.headers.get('date'), traceId, retries)
 * ```
 */
export interface Envelope<T> {
  /** The value that the call resolves with. */
  readonly data: T
  /** The response, whose body has been read. */
  readonly response: Response
  /** Identifies the request in the server's log. */
  readonly traceId: string | undefined
  /** How many attempts failed before this response. */
  readonly retries: number
}

/**
 * A call on its way: a promise of its result, or with `withResponse()` of the result and its response.
 *
 * @example
 * ```ts
 * const call: Call<Token> = surrogate.tokens.get('token-id')
 * const { traceId } = await call.withResponse()
 * ```
 */
export interface Call<T> extends Promise<T> {
  /** Resolves with the result and the response; rejects like the call. */
  withResponse(): Promise<Envelope<T>>
}

export function asCall<T>(envelope: Promise<Envelope<T>>): Call<T> {
  const call = envelope.then(({ data }) => data)
  const withResponse = () => call.then(() => envelope)
  return Object.assign(call, { withResponse })
}

/** Returns the call with another result. */
export function mapCall<T, U>(call: Call<T>, map: (envelope: Envelope<T>) => U): Call<U> {
  return asCall(call.withResponse().then(envelope => ({ ...envelope, data: map(envelope) })))
}

/** Returns the trace id as the result of a call that the server has accepted: what it does comes later, as a webhook. */
export function accepted<T>(call: Call<T>): Call<T | { traceId: string | undefined }> {
  return mapCall(call, ({ data, response, traceId }) =>
    response.status === 202 && data === undefined ? { traceId } : data,
  )
}
