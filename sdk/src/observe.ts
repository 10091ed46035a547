import { mustBe } from './check.ts'
import type { Operations } from './generated/operations.gen.ts'

/**
 * A request about to be sent, as `onRequest` sees it. Events contain no body, no key and no query.
 *
 * @example
 * ```ts
 * const onRequest = ({ operation, retries }: RequestEvent) => console.log(operation, retries)
 * ```
 */
export interface RequestEvent {
  /** Name of the operation in the contract, such as `tokens.get`. */
  readonly operation: keyof Operations
  readonly method: string
  /** URL without its query, which may contain metadata. */
  readonly url: string
  /** How many attempts of this call failed before. */
  readonly retries: number
}

/**
 * A complete response, as `onResponse` sees it, successful or not.
 *
 * @example
 * ```ts
 * const onResponse = ({ operation, status, durationMs }: ResponseEvent) => console.log(operation, status, durationMs)
 * ```
 */
export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly traceId: string | undefined
  /** Milliseconds from the request to the end of the response. */
  readonly durationMs: number
  /** What a development server says of the request, such as a member that it ignored: its header `SVC-WARNING`. */
  readonly warning: string | null
}

/**
 * A failed attempt that is about to be retried, as `onRetry` sees it. `retries` counts the failed attempts before it.
 *
 * @example
 * ```ts
 * const onRetry = ({ operation, reason, waitMs }: RetryEvent) => console.warn(operation, reason, waitMs)
 * ```
 */
export interface RetryEvent extends RequestEvent {
  /** Name of the error class, such as `RateLimitError` or `ConnectionError`. */
  readonly reason: string
  /** Milliseconds until the next attempt. */
  readonly waitMs: number
}

/**
 * An attempt that ended without a complete response, as `onLost` sees it.
 *
 * @example
 * ```ts
 * const onLost = ({ operation, reason }: LostEvent) => console.error(operation, reason)
 * ```
 */
export interface LostEvent extends RequestEvent {
  /** Name of the error, such as `ConnectionError` or `TimeoutError`. */
  readonly reason: string
}

/**
 * Receives the client's log. `console` is one, and so are the loggers of pino and winston.
 *
 * @example
 * ```ts
 * const logger: Logger = { ...console, debug: message => process.stderr.write(`${message}\n`) }
 * const quiet = new Surrogate({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org', logger, logLevel: 'debug' })
 * ```
 */
export type Logger = Readonly<Record<Exclude<LogLevel, 'off'>, (message: string) => void>>

/**
 * What the client logs: `error` are attempts without a response, `warn` also error responses and retries, `info` also
 * successful responses, `debug` also requests.
 *
 * @example
 * ```ts
 * const logLevel: LogLevel = 'info'
 * ```
 */
export type LogLevel = (typeof levels)[number]

const levels = ['off', 'error', 'warn', 'info', 'debug'] as const

/**
 * The options by which an application sees a client at work.
 *
 * @example
 * ```ts
 * const watch: ObserveOptions = { logger: console, logLevel: 'info', onRetry: ({ reason }) => console.warn(reason) }
 * const surrogate = new Surrogate({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org', ...watch })
 * ```
 */
export interface ObserveOptions {
  /** Called before each attempt. What a hook throws rejects the call. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after each complete response. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the wait for another attempt. */
  onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called after each attempt that ended without a complete response. */
  onLost?: ((event: LostEvent) => void) | undefined
  /** Receives one line for each event, without bodies, keys and queries. Default `console`. */
  logger?: Logger | undefined
  /**
   * Default `warn` if there is a `logger`, otherwise `off`. Unless it is given as `off` or `error`, the warnings of
   * development servers are logged, each once.
   */
  logLevel?: LogLevel | undefined
}

/**
 * Returns options whose hooks also write the log. `Surrogate` calls it itself; another class, such as `Tokens`, writes no
 * log without it. Throws a `TypeError` for an unknown level.
 *
 * @example
 * ```ts
 * const tokens = new Tokens(withLog({ apiKey: 'key_prv_…', baseUrl: 'https://vault.example.org', logger: console }))
 * ```
 */
export function withLog<Options extends ObserveOptions>(
  options: Options,
): Omit<Options, 'logger' | 'logLevel'> {
  const {
    logger = console,
    logLevel = options.logger ? 'warn' : 'off',
    onRequest,
    onResponse,
    onRetry,
    onLost,
  } = options
  const most = levels.indexOf(logLevel)
  mustBe('logLevel', most >= 0, `one of ${levels}`)
  const isQuiet = options.logLevel && most < 2
  const warned = new Set<string>()
  const log = (level: keyof Logger, { method, url }: RequestEvent, text: string) => {
    if (levels.indexOf(level) <= most) logger[level](`surrogate: ${method} ${url}: ${text}`)
  }
  return {
    ...options,
    onRequest(event) {
      onRequest?.(event)
      log('debug', event, 'sent')
    },
    onResponse(event) {
      onResponse?.(event)
      const { status, durationMs, traceId, warning } = event
      const text = `surrogate: ${event.operation}: ${warning}`
      // A text names members of requests, which can be of any number.
      if (warning && !isQuiet && warned.size < 100 && warned.size < warned.add(text).size) logger.warn(text)
      log(status < 300 ? 'info' : 'warn', event, `${status} in ${durationMs} ms, trace id ${traceId}`)
    },
    onRetry(event) {
      onRetry?.(event)
      log('warn', event, `${event.reason}, retry ${event.retries + 1} in ${Math.round(event.waitMs)} ms`)
    },
    onLost(event) {
      onLost?.(event)
      log('error', event, event.reason)
    },
  }
}
