import { asCall, type Call, type Envelope } from './call.ts'
import { ConnectionError, type ErrorAnswer, TimeoutError } from './errors.ts'
import { type FetchResponse, isMistake } from './fetch.ts'
import type { Operations } from './generated/operations.gen.ts'
import type { Problem } from './generated/types.gen.ts'
import { mergeHeaders, setHeader } from './headers.ts'
import { observerOf } from './observe.ts'
import {
  checked,
  type RequestOptions,
  type Settings,
  type SurrogateOptions,
  settingsFrom,
} from './options.ts'
import { randomKey } from './random-key.ts'
import { isMaybeDone, realWaits, type Waits, waitBefore } from './retry.ts'
import { userAgent } from './runtime.ts'
import { errorFor } from './status-errors.ts'
import { fillPath, queryString } from './url.ts'

type Name = keyof Operations
type RequestOf<N extends Name> = Optional<Omit<Operations[N]['data'], 'url' | 'headers'>>
type ResponseOf<N extends Name> = Operations[N]['responses'][keyof Operations[N]['responses']]
/** Allows undefined for optional members in spite of `exactOptionalPropertyTypes`. */
type Optional<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }

/** An operation of the contract: what the client needs to send it. */
interface Operation<N extends Name = Name> {
  readonly id: N
  readonly method: string
  readonly path: string
  /** Media type of the body, by default JSON. */
  readonly contentType?: string
  /** True if it changes nothing although its method could: it needs no idempotency key. */
  readonly repeatable?: true
  readonly separators?: Record<string, string>
}

/** Sends one operation of the contract, with retries, and returns the body of the response or throws. */
export type Send = <N extends Name>(
  operation: Operation<N>,
  request: RequestOf<N>,
  options?: RequestOptions,
) => Call<ResponseOf<N>>

/** The argument of a resource's constructor: its own options, or what the client sends by. */
export const sendBy = (by: SurrogateOptions | Send): Send =>
  typeof by === 'function' ? by : createSend(settingsFrom(by), realWaits)

export function createSend(settings: Settings, waits: Waits): Send {
  const { fetch } = settings
  const prefix = `${settings.headerPrefix}-`.toLowerCase()
  const observer = observerOf(settings)
  const defaultHeaders = mergeHeaders({ 'user-agent': userAgent() }, settings.defaultHeaders)

  const carryOut = async (
    { id: operation, method, path, contentType, repeatable, separators }: Operation,
    request: { path?: Record<string, unknown> | undefined; query?: object | undefined; body?: unknown },
    options: RequestOptions,
  ): Promise<Envelope<unknown>> => {
    const { signal } = options
    const { apiKey, timeout, maxRetries } = checked({
      apiKey: options.apiKey ?? settings.apiKey,
      timeout: options.timeout ?? settings.timeout,
      maxRetries: options.maxRetries ?? settings.maxRetries,
      dangerouslyAllowBrowser: settings.dangerouslyAllowBrowser,
    })
    const url = settings.baseUrl + fillPath(path, request.path)
    const query = queryString({ ...settings.defaultQuery, ...request.query }, separators)
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const headers = { ...defaultHeaders, ...mergeHeaders(options.headers) }
    headers[`${prefix}api-key`] = apiKey
    if (body) headers['content-type'] = contentType ?? 'application/json'
    // POST, PUT and PATCH.
    if (method[0] === 'P' && !repeatable)
      setHeader(headers, `${prefix}idempotency-key`, options.idempotencyKey ?? randomKey())
    setHeader(headers, `${prefix}trace-id`, options.traceId || undefined)

    let maybeDone = false
    for (let retries = 0; ; retries++) {
      signal?.throwIfAborted()
      const event = { operation, method, url, retries }
      try {
        observer.request(event)
        const start = waits.now()
        const answer = await within(timeout, signal, async aborted => {
          const init = { method, headers, redirect: 'manual', signal: aborted } as const
          return read(await fetch(url + query, body ? { ...init, body } : init), prefix)
        }).catch(error => {
          observer.lost(event, error?.name)
          throw error
        })
        const { status, body: data, response, traceId, reason } = answer
        observer.response({ ...event, status, traceId, durationMs: waits.now() - start })
        // An earlier attempt, whose response was lost, has deleted it.
        const isGone = maybeDone && method === 'DELETE' && status === 404
        // A formula can put anything into its errors.
        if (reason && !isGone) throw errorFor(answer, reason, operation !== 'reactors.react')
        return { data: isGone ? undefined : data, response, traceId, retries }
      } catch (error) {
        const waitMs =
          signal?.aborted || retries >= maxRetries ? undefined : waitBefore(error, retries, maybeDone, waits)
        if (waitMs === undefined) throw error
        maybeDone ||= isMaybeDone(error)
        observer.retry({ ...event, reason: (error as Error).name, waitMs })
        await waits.sleep(waitMs, signal)
      }
    }
  }
  return (operation, request, options = {}) => asCall(carryOut(operation, request, options)) as Call<never>
}

/**
 * Waits for `work` until it is done, `timeout` has passed or the caller's signal aborts, even if the `fetch` in it
 * ignores signals.
 */
function within<T>(
  timeout: number,
  signal: AbortSignal | undefined,
  work: (aborted: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort: () => void
  return new Promise<T>((resolve, reject) => {
    const stop = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    onAbort = () => stop(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    // A timer fires at once if its delay exceeds a 32-bit integer.
    if (timeout < 2 ** 31)
      timer = setTimeout(() => stop(new TimeoutError(`no complete response within ${timeout} ms`)), timeout)
    work(controller.signal).then(resolve, cause =>
      reject(isMistake(cause) ? cause : new ConnectionError('no response from the server', {}, { cause })),
    )
  }).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  })
}

interface Answer extends ErrorAnswer {
  readonly response: Response
  /** Says why the response is a failure, in case that it has no problem document; undefined for a success. */
  readonly reason: string | undefined
}

async function read(response: FetchResponse, prefix: string): Promise<Answer> {
  if (typeof response?.text !== 'function')
    throw new TypeError('fetch is not a function that returns a Response')
  const { status, headers } = response as Response
  const text = await response.text()
  let body: unknown = text || undefined
  let reason = status < 200 || status > 399 ? 'the body is not a problem document' : undefined
  if (status > 299) reason ??= 'redirects are not followed'
  try {
    if (text) body = JSON.parse(text)
  } catch {
    reason ??= 'the body is not JSON'
  }
  const { title, errors = {} } = (body ?? {}) as Partial<Problem>
  const isProblem =
    /^application\/problem\+json/i.test(headers.get('content-type') ?? '') &&
    typeof title === 'string' &&
    errors &&
    typeof errors === 'object'
  return {
    status,
    headers,
    body,
    reason,
    problem: isProblem ? (body as Problem) : undefined,
    traceId: headers.get(`${prefix}trace-id`) ?? undefined,
    response: response as Response,
  }
}
