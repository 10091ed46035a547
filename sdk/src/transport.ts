import { jsonOf } from './body.ts'
import { asCall, type Call, type Envelope } from './call.ts'
import { mustBe, refuseUnknown } from './check.ts'
import { ConnectionError, SurrogateError, TimeoutError } from './errors.ts'
import type { FetchInit } from './fetch.ts'
import type { Operations } from './generated/operations.gen.ts'
import { mergeHeaders } from './headers.ts'
import {
  callOptions,
  checkedOptions,
  clientOptions,
  type RequestOptions,
  type ResourceOptions,
  type SurrogateOptions,
} from './options.ts'
import { randomKey } from './random-key.ts'
import { realWaits, setAlarm, waitBefore } from './retry.ts'
import { runtime } from './runtime.ts'
import { errorFor } from './status-errors.ts'
import { checkedBaseUrl, fillPath, queryString } from './url.ts'
import { version } from './version.ts'

type Name = keyof Operations
type ResponseOf<N extends Name> = Operations[N]['responses'][keyof Operations[N]['responses']]
/** What a call puts into a request: the ids of its path, its query and its body. */
type RequestOf<N extends Name> = Operations[N]['data'] extends infer Data
  ? Pick<Data, Extract<keyof Data, 'body' | 'query'>> &
      (Data extends { path: infer Ids } ? Ids : { id?: undefined })
  : never

type Words = [name: Name, method: string, path: string, mediaType?: string, repeatable?: string]

/** Sends one operation of the contract, with retries, and returns the body of the response or throws. */
export type Send = <N extends Name>(
  operation: `${N} ${string}`,
  request: RequestOf<N>,
  options?: RequestOptions,
) => Call<ResponseOf<N>>

/** The argument of a resource's constructor: its own options, or what the client sends by. */
export const sendBy = (by: ResourceOptions | Send): Send => (typeof by === 'function' ? by : createSend(by))

interface Request {
  readonly [id: string]: unknown
  readonly query?: object | undefined
  readonly body?: unknown
}

/** What some runtimes have. */
interface Traces {
  captureStackTrace?: (error: Error, below: unknown) => void
}

/** The reason of an attempt that was ended. */
const late = {}

/** The signals of some runtimes have no reason, such as those of React Native. */
const reasonOf = (signal: AbortSignal): Error =>
  signal.reason ?? Object.assign(new Error('the call was aborted'), { name: 'AbortError' })

/**
 * Throws a `TypeError` if an option is invalid.
 * @param explain returns the end of a message about a lost connection. `Tokens` alone has none.
 */
export function createSend(
  client: SurrogateOptions,
  waits = realWaits,
  explain?: (cause: unknown, url: string) => string,
): Send {
  mustBe('options', client, '{ apiKey, baseUrl }')
  // The application of a test's tenant has an id, too.
  refuseUnknown(client, clientOptions, true)
  const {
    headerPrefix = 'SVC',
    // Looked up for each request, since tests may replace the global `fetch` later.
    fetch = (url, init) => globalThis.fetch(url, init),
  } = client
  const agent = runtime()
  const isBrowser = /^Mozilla/.test(agent)
  mustBe('headerPrefix', /^[\w-]+$/.test(headerPrefix), 'letters, digits, - and _')
  const baseUrl = checkedBaseUrl(client.baseUrl)
  const defaultHeaders = mergeHeaders(
    // A page that sets a `User-Agent` may not call a server of another origin.
    { 'user-agent': isBrowser ? undefined : `surrogate-sdk/${version} ${agent}` },
    client.defaultHeaders,
  )
  /** Checks what the options of a call decide. */
  const settle = (options: RequestOptions) => {
    refuseUnknown(options, callOptions)
    const [apiKey, timeout, maxRetries] = checkedOptions(client, options, isBrowser)
    const headers = mergeHeaders(defaultHeaders, options.headers, {
      [`${headerPrefix}-trace-id`]: options.traceId || undefined,
      [`${headerPrefix}-api-key`]: apiKey,
    })
    return [headers, timeout, maxRetries] as const
  }
  /** True after a response: the server speaks the protocol of the URL. */
  let hasSpoken: boolean | undefined
  // Most calls have no options of their own.
  const usual = settle({})

  /** Checks arguments, and makes all that the attempts of a call have in common. */
  const prepare = (operation: string, request: Request, options?: RequestOptions) => {
    const [name, method, path, mediaType, repeatable] = operation.split(' ') as Words
    const [common, timeout, maxRetries] = options ? settle(options) : usual
    const signal = options?.signal
    const url = baseUrl + fillPath(path, request)
    const query = queryString({ ...client.defaultQuery, ...request.query })
    const body = jsonOf(request.body)
    const headers =
      // POST, PUT and PATCH.
      method[0] === 'P'
        ? mergeHeaders(common, {
            'content-type': body && (mediaType || 'application/json'),
            [`${headerPrefix}-idempotency-key`]: repeatable
              ? undefined
              : (options?.idempotencyKey ?? randomKey()),
          })
        : common
    return [name, method, url, query, body, headers, signal, timeout, maxRetries] as const
  }

  const carryOut = async (
    ...given: [operation: string, request: Request, options?: RequestOptions]
  ): Promise<Envelope<unknown>> => {
    let prepared: ReturnType<typeof prepare>
    try {
      prepared = prepare(...given)
    } catch (error) {
      // Whoever awaits a list is not among those who called this, but among those who wait for it.
      await 0
      ;(Error as Traces).captureStackTrace?.(error as Error, carryOut)
      throw error
    }
    const [name, method, url, query, body, headers, signal, timeout, maxRetries] = prepared

    for (let retries = 0, maybeDone = false; ; retries++) {
      if (signal?.aborted) throw reasonOf(signal)
      const event = { operation: name, method, url, retries }
      try {
        client.onRequest?.(event)
        const start = waits.now()
        const controller = new AbortController()
        const init: FetchInit = {
          method,
          headers: { ...headers },
          redirect: 'manual',
          signal: controller.signal,
        }
        if (body) init.body = body
        const attempt = async () => {
          const response = await fetch(url + query, init)
          return [response as Response, await response.text()] as const
        }
        let cancel: (() => void) | undefined
        let response: Response
        let text: string
        try {
          ;[response, text] = await new Promise<readonly [Response, string]>((resolve, reject) => {
            // Ends the attempt even if the `fetch` ignores signals.
            cancel = setAlarm(timeout, signal, () => {
              reject(late)
              controller.abort()
            })
            attempt().then(resolve, reject)
          })
        } catch (cause) {
          // Made here and not where it ends: so the caller's line is in its stack.
          const error = signal?.aborted
            ? reasonOf(signal)
            : cause === late
              ? new TimeoutError(`no complete response within ${timeout} ms`)
              : client.isMistake?.(cause)
                ? (cause as Error)
                : new ConnectionError(
                    `no response from ${url}${explain?.(cause, hasSpoken ? '' : url) ?? ''}`,
                    {},
                    { cause },
                  )
          client.onLost?.({ ...event, reason: error?.name })
          throw error
        } finally {
          cancel?.()
        }
        const { status } = response
        hasSpoken = true
        const traceId = response.headers.get(`${headerPrefix}-trace-id`) ?? undefined
        const warning = response.headers.get(`${headerPrefix}-warning`)
        client.onResponse?.({ ...event, status, traceId, durationMs: waits.now() - start, warning })
        let data: unknown
        // Otherwise an earlier attempt, whose response was lost, has deleted it.
        if (!maybeDone || method !== 'DELETE' || status !== 404) {
          let reason =
            status > 399
              ? 'the body is not a problem document'
              : // In browsers a redirect has the status 0.
                (status < 200 || status > 299) &&
                'redirects are not followed; use the address that it leads to'
          try {
            if (text) data = JSON.parse(text)
          } catch {
            data = text
            reason ||= 'the body is not JSON'
          }
          if (reason) {
            const answer = { status, headers: response.headers, traceId, body: data }
            // A formula can put anything into its errors.
            throw errorFor(answer, reason, name !== 'reactors.react')
          }
        }
        return { data, response, traceId, retries }
      } catch (error) {
        if (signal?.aborted || retries >= maxRetries || !(error instanceof SurrogateError)) throw error
        const waitMs = waitBefore(error, retries, maybeDone, waits)
        if (waitMs === false) throw error
        const { status = 500, name: reason } = error
        // The server may have done what was asked although the attempt failed.
        maybeDone ||= status > 499
        client.onRetry?.({ ...event, reason, waitMs })
        await waits.sleep(waitMs, signal)
      }
    }
  }
  return (operation, request, options) => asCall(carryOut(operation, request, options)) as Call<never>
}
