import { ConnectionError, type ErrorAnswer, TimeoutError } from './errors.ts'
import { type Operations, operations } from './generated/operations.gen.ts'
import type { Problem } from './generated/types.gen.ts'
import { checked, type RequestOptions, type Settings } from './options.ts'
import { type Waits, withRetries } from './retry.ts'
import { errorFor, NotFoundError } from './status-errors.ts'
import { fillPath, queryString } from './url.ts'

type Name = keyof Operations
type RequestOf<N extends Name> = Optional<Omit<Operations[N]['data'], 'url' | 'headers'>>
type ResponseOf<N extends Name> = Operations[N]['responses'][keyof Operations[N]['responses']]
/** Allows undefined for optional members in spite of `exactOptionalPropertyTypes`. */
type Optional<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }

interface Operation {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly idempotent?: true
  readonly separators?: Record<string, string>
}

/** Sends one operation of the contract, with retries, and returns the body of the response or throws. */
export type Send = <N extends Name>(
  name: N,
  request: RequestOf<N>,
  options?: RequestOptions,
) => Promise<ResponseOf<N>>

export function createSend(settings: Settings, waits: Waits): Send {
  // Called without a `this`: a browser's own fetch throws when called as a method of another object.
  const { fetch } = settings
  return async (name, request, options = {}) => {
    const operation: Operation = operations[name]
    const { path, query, body } = request as {
      path?: Record<string, unknown>
      query?: object
      body?: unknown
    }
    const { signal } = options
    const { apiKey, timeout, maxRetries } = checked({
      apiKey: options.apiKey ?? settings.apiKey,
      timeout: options.timeout ?? settings.timeout,
      maxRetries: options.maxRetries ?? settings.maxRetries,
    })
    const url = settings.baseUrl + fillPath(operation.path, path) + queryString(query, operation.separators)
    const headers = headersFor(operation, options, settings.headerPrefix, apiKey)
    const init = {
      method: operation.method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      // A redirect would send the API key to another address.
      redirect: 'manual',
    } as const

    const attempt = async (maybeDone: boolean) => {
      const answer = await within(timeout, signal, async aborted => {
        const response = await fetch(new Request(url, { ...init, signal: aborted }))
        return read(response, settings.headerPrefix)
      })
      if (answer.status >= 200 && answer.status < 300) {
        if (answer.readable) return answer.body
        throw errorFor(answer, 'the body is not JSON')
      }
      const error = errorFor(
        answer,
        answer.status < 400 ? 'redirects are not followed' : 'the body is not a problem document',
      )
      // An earlier attempt, whose response was lost, has deleted it.
      if (maybeDone && operation.method === 'DELETE' && error instanceof NotFoundError) return undefined
      throw error
    }
    return withRetries(attempt, { maxRetries, signal, waits }) as Promise<ResponseOf<typeof name>>
  }
}

function headersFor(operation: Operation, options: RequestOptions, prefix: string, apiKey: string): Headers {
  try {
    const headers = new Headers(options.headers)
    headers.set(`${prefix}-API-KEY`, apiKey)
    if (operation.contentType) headers.set('Content-Type', operation.contentType)
    if (operation.idempotent) headers.set(`${prefix}-IDEMPOTENCY-KEY`, options.idempotencyKey ?? randomKey())
    if (options.traceId) headers.set(`${prefix}-TRACE-ID`, options.traceId)
    return headers
  } catch {
    // The platform's error message would contain the value.
    throw new TypeError('headers, idempotencyKey and traceId must be printable ASCII')
  }
}

/** Returns 128 random bits. `randomUUID()` does not exist in pages loaded over plain http. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
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
    throw new ConnectionError('no response from the server', {}, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

async function read(response: Response, prefix: string): Promise<ErrorAnswer & { readable: boolean }> {
  const { status, headers } = response
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
  return { status, headers, body, readable, problem, traceId: headers.get(`${prefix}-TRACE-ID`) ?? undefined }
}

/** Returns the body as a problem document, or undefined if it has not the form of one. */
function asProblem(body: unknown): Problem | undefined {
  const { title, errors = {} } = (body ?? {}) as Partial<Problem>
  return typeof title === 'string' && errors && typeof errors === 'object' ? (body as Problem) : undefined
}
