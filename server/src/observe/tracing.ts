import type { Context, Span } from '@opentelemetry/api'
import type { BegunRequest, ObservedCaller, ObservedOperation, Observer, Work } from '../base/observer.ts'
import { monotonicMs } from '../base/time/real-time.ts'

type Api = typeof import('@opentelemetry/api')

/** Matches the header `traceparent` of version 00 (W3C Trace Context). */
const traceParent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * Makes spans of requests, commits, formulas and webhooks, if an OpenTelemetry SDK is registered. Otherwise returns
 * `undefined`, and loads nothing.
 */
export async function createTracing(version: string): Promise<Observer | undefined> {
  if (!isRegistered()) return undefined
  const api = await import('@opentelemetry/api')
  const { context, SpanKind, trace } = api
  const tracer = trace.getTracer('@surrogate/server', version)

  return {
    request: begun => {
      const startTime = now()
      const around = context.active()
      const kind = trace.getSpan(around) ? SpanKind.INTERNAL : SpanKind.SERVER
      const start = (operation?: ObservedOperation, caller?: ObservedCaller): Span => {
        const name = operation ? `${operation.method} ${operation.path}` : 'HTTP'
        const attributes = attributesOf(operation)
        return tracer.startSpan(name, { kind, startTime, attributes }, parentOf(api, around, begun, caller))
      }
      // Not before the caller is known: it decides whether the trace of the request is continued.
      let span: Span | undefined
      return {
        perform: (operation, caller, perform) => {
          span = start(operation, caller)
          return context.with(trace.setSpan(around, span), perform)
        },
        end: ({ operation, caller, status }) => {
          span ??= start(operation, caller)
          span.setAttribute('http.response.status_code', status)
          if (status >= 500) markFailed(api, span)
          span.end(now())
        },
      }
    },
    run: (work, perform) => {
      const around = context.active()
      const { kind, name } = work
      // The store also works by itself. Only what a request or a formula writes is of interest.
      if (kind === 'store' && (name !== 'commit' || !trace.getSpan(around))) return perform()
      const options = {
        // The request during which asynchronous work happens to begin may be another tenant's.
        root: kind === 'delivery' || name === 'async',
        kind: kind === 'delivery' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes: kind === 'formula' ? { 'surrogate.lane': name } : {},
      }
      const span = tracer.startSpan(spanNames[kind], options, around)
      return context.with(trace.setSpan(around, span), () => finish(api, span, work, perform))
    },
    count: () => {},
  }
}

const spanNames = { store: 'commit', formula: 'formula', delivery: 'webhook' } as const

async function finish<T>(api: Api, span: Span, work: Work<T>, perform: () => Promise<T>): Promise<T> {
  let outcome = 'error'
  try {
    const result = await perform()
    outcome = work.outcomeOf(result)
    return result
  } catch (error) {
    // Without the error: its message could quote a value.
    markFailed(api, span)
    throw error
  } finally {
    span.setAttribute('surrogate.outcome', outcome).end()
  }
}

/**
 * Returns the context that a request continues: an active span of this process, or else the `traceparent` of a caller
 * with a private or management key. Strangers can have a public key or a session, and must not decide what is sampled.
 * Other headers (`tracestate`, `baggage`) are texts of callers, and are never read.
 */
function parentOf(
  { isSpanContextValid, ROOT_CONTEXT, trace }: Api,
  around: Context,
  { traceparent = '' }: BegunRequest,
  caller: ObservedCaller | undefined,
): Context {
  const isTrusted = caller !== undefined && caller.session === undefined && caller.type !== 'public'
  if (!isTrusted || trace.getSpan(around)) return around
  const [, traceId = '', spanId = '', flags = ''] = traceParent.exec(traceparent) ?? []
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : around
}

/** By the names of OpenTelemetry's conventions. */
function attributesOf(operation: ObservedOperation | undefined): Record<string, string> {
  if (!operation) return {}
  const { id, method, path } = operation
  return { 'http.request.method': method, 'http.route': path, 'surrogate.operation': id }
}

function markFailed({ SpanStatusCode }: Api, span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The API keeps what is registered under such a symbol, which all its copies in a process share. */
const isOfApi = (symbol: symbol) => symbol.description?.startsWith('opentelemetry.js.api.') === true

function isRegistered(): boolean {
  const place = Object.getOwnPropertySymbols(globalThis).find(isOfApi)
  const registered = place && (Reflect.get(globalThis, place) as { readonly trace?: unknown } | undefined)
  return registered?.trace !== undefined
}

/** Epoch milliseconds, with fractions. */
const now = () => performance.timeOrigin + monotonicMs()
