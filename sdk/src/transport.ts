import { asCall, type Call, type Envelope } from './call.ts'
import { mustBe } from './check.ts'
import { ConnectionError, SurrogateError, TimeoutError } from './errors.ts'
import type { FetchInit } from './fetch.ts'
import type { Operations } from './generated/operations.gen.ts'
import { mergeHeaders } from './headers.ts'
import {
  checkedOptions,
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

interface Explains {
  /** Returns the end of a message about a lost connection. Left out of `Tokens`: browsers say nothing of the reason. */
  explain?: (cause: unknown, url: string) => string
}

/** Throws a `TypeError` if an option is invalid. */
export function createSend(client: SurrogateOptions & Explains, waits = realWaits): Send {
  mustBe('options', client, '{ apiKey, baseUrl }')
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

  const carryOut = async (
    operation: string,
    request: { [id: string]: unknown; query?: object | undefined; body?: unknown },
    options?: RequestOptions,
  ): Promise<Envelope<unknown>> => {
    const [name, method, path, mediaType, repeatable] = operation.split(' ') as Words
    const [common, timeout, maxRetries] = options ? settle(options) : usual
    const signal = options?.signal
    const url = baseUrl + fillPath(path, request)
    const query = queryString({ ...client.defaultQuery, ...request.query })
    const body = JSON.stringify(request.body)
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

    for (let retries = 0, maybeDone = false; ; retries++) {
      if (signal?.aborted) throw signal.reason
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
              reject(
                signal?.aborted
                  ? signal.reason
                  : new TimeoutError(`no complete response within ${timeout} ms`),
              )
              controller.abort()
            })
            attempt().then(resolve, reject)
          })
        } catch (cause) {
          const error =
            cause instanceof TimeoutError || signal?.aborted || client.isMistake?.(cause)
              ? (cause as Error)
              : new ConnectionError(
                  `no response from ${url}${client.explain?.(cause, hasSpoken ? '' : url) ?? ''}`,
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
