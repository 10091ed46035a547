import { asCall, type Call, type Envelope } from './call.ts'
import { ConnectionError, type ErrorAnswer, TimeoutError } from './errors.ts'
import { type FetchResponse, isMistake } from './fetch.ts'
import type { Operations } from './generated/operations.gen.ts'
import type { Problem } from './generated/types.gen.ts'
import { mergeHeaders } from './headers.ts'
import { observerOf } from './observe.ts'
import {
  checked,
  type RequestOptions,
  type Settings,
  type SurrogateOptions,
  settingsFrom,
} from './options.ts'
import { randomKey } from './random-key.ts'
import { realWaits, type Waits, withRetries } from './retry.ts'
import { userAgent } from './runtime.ts'
import { errorFor, NotFoundError } from './status-errors.ts'
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
  const observer = observerOf(settings)
  const agent = userAgent()
  const carryOut = async (
    operation: Operation,
    request: { path?: Record<string, unknown> | undefined; query?: object | undefined; body?: unknown },
    options: RequestOptions,
  ): Promise<Envelope<unknown>> => {
    const { id, method } = operation
    const { signal } = options
    const { apiKey, timeout, maxRetries } = checked({
      apiKey: options.apiKey ?? settings.apiKey,
      timeout: options.timeout ?? settings.timeout,
      maxRetries: options.maxRetries ?? settings.maxRetries,
      dangerouslyAllowBrowser: settings.dangerouslyAllowBrowser,
    })
    const bare = settings.baseUrl + fillPath(operation.path, request.path)
    const url = bare + queryString({ ...settings.defaultQuery, ...request.query }, operation.separators)
    const prefix = settings.headerPrefix
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const headers = mergeHeaders({ 'user-agent': agent }, settings.defaultHeaders, options.headers, {
      [`${prefix}-api-key`]: apiKey,
      'content-type': body && (operation.contentType ?? 'application/json'),
      // POST, PUT and PATCH.
      [`${prefix}-idempotency-key`]:
        method[0] === 'P' && !operation.repeatable ? (options.idempotencyKey ?? randomKey()) : undefined,
      [`${prefix}-trace-id`]: options.traceId || undefined,
    })
    const init = {
      method,
      headers,
      ...(body && { body }),
      redirect: 'manual',
    } as const

    const attempt = async (retries: number, maybeDone: boolean) => {
      const event = { operation: id, method, url: bare, retries }
      observer.request(event)
      const start = waits.now()
      const answer = await within(timeout, signal, async aborted => {
        // Called without a `this`: a browser's own fetch throws when called as a method of another object.
        const { fetch } = settings
        return read(await fetch(url, { ...init, signal: aborted }), prefix)
      }).catch(error => {
        observer.lost(event, error?.name)
        throw error
      })
      const { status, body, response, traceId } = answer
      observer.response({ ...event, status, traceId, durationMs: waits.now() - start })
      const envelope = { data: body, response, traceId, retries }
      if (status >= 200 && status < 300) {
        if (answer.readable) return envelope
        throw errorFor(answer, 'the body is not JSON')
      }
      const error = errorFor(
        answer,
        status < 400 ? 'redirects are not followed' : 'the body is not a problem document',
        // A formula can put anything into its errors.
        id !== 'reactors.react',
      )
      // An earlier attempt, whose response was lost, has deleted it.
      if (maybeDone && method === 'DELETE' && error instanceof NotFoundError)
        return { ...envelope, data: undefined }
      throw error
    }
    const onRetry: Parameters<typeof withRetries>[1]['onRetry'] = (reason, retries, waitMs) =>
      observer.retry({ operation: id, method, url: bare, retries, reason, waitMs })
    return withRetries(attempt, { maxRetries, signal, waits, onRetry })
  }
  return (operation, request, options = {}) => asCall(carryOut(operation, request, options)) as Call<never>
}

/**
 * Waits for `work` until it is done, `timeout` has passed or the caller's signal aborts, even if the `fetch` in it
 * ignores signals.
 */
async function within<T>(
  timeout: number,
  signal: AbortSignal | undefined,
  work: (aborted: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  // A timer fires at once if its delay exceeds a 32-bit integer.
  const timer = timeout < 2 ** 31 ? setTimeout(() => controller.abort(), timeout) : undefined
  try {
    return await Promise.race([
      work(controller.signal),
      new Promise<never>((_, reject) => {
        controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
      }),
    ])
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (controller.signal.aborted) throw new TimeoutError(`no complete response within ${timeout} ms`)
    if (isMistake(cause)) throw cause
    throw new ConnectionError('no response from the server', {}, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

interface Answer extends ErrorAnswer {
  readonly readable: boolean
  readonly response: Response
}

async function read(response: FetchResponse, prefix: string): Promise<Answer> {
  if (typeof response?.text !== 'function')
    throw new TypeError('fetch is not a function that returns a Response')
  const { status, headers } = response as Response
  const text = await response.text()
  let body: unknown = text || undefined
  let readable = true
  try {
    if (text) body = JSON.parse(text)
  } catch {
    readable = false
  }
  const problem = /^application\/problem\+json/i.test(headers.get('content-type') ?? '')
    ? asProblem(body)
    : undefined
  const traceId = headers.get(`${prefix}-trace-id`) ?? undefined
  return { status, headers, body, readable, problem, traceId, response: response as Response }
}

/** Returns the body as a problem document, or undefined if it has not the form of one. */
function asProblem(body: unknown): Problem | undefined {
  const { title, errors = {} } = (body ?? {}) as Partial<Problem>
  return typeof title === 'string' && errors && typeof errors === 'object' ? (body as Problem) : undefined
}
