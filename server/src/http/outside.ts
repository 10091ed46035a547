import { invalid, ServiceError } from '../base/errors.ts'
import { decodeUtf8, isJsonObject, JsonError, type JsonValue, parseJson } from '../base/json.ts'
import { limits } from './limits.ts'
import type { CoreRequest, CoreResponse } from './message.ts'

/** What the paths outside the contract need of the vault. */
export interface Besides {
  readonly dev: boolean
  /** Why the server cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined
  /** What holds the processes of formulas, once there have been any. */
  formulas(): object | undefined
  docs(path: string): CoreResponse | undefined
  advanceClock(ms: number): Promise<{ readonly now: string }>
  reset(): Promise<void>
  createTenant(operator: boolean): Promise<JsonValue>
  /** What the formula of a reactor printed, for a management key of its tenant. @throws {ServiceError} */
  printed(key: string | undefined, reactor: string): Promise<JsonValue>
  /** In lower case. */
  readonly keyHeader: string
}

/** A century. A clock that went on for long enough would have no dates left. */
const furthestMs = 100 * 365 * 24 * 60 * 60 * 1000

/** A Host header that names this machine. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * `/healthz`, `/docs` and, on a development server only, `/_dev/*`. The development endpoints need no key, so
 * they refuse what comes from a web page: whatever a browser shows must not move this server's clock. A page whose
 * host name was made to resolve to this machine sends no `Origin` with some requests, but its own name as the `Host`.
 */
export function answerBeside(
  besides: Besides,
  request: CoreRequest,
): Promise<CoreResponse | undefined> | undefined {
  // Nearly every request is about something else, and should not wait for hearing that.
  return /^\/(healthz|docs|_dev)(\/|$)/.test(request.path) ? answer(besides, request) : undefined
}

async function answer(besides: Besides, request: CoreRequest): Promise<CoreResponse | undefined> {
  const { method } = request
  const path = request.path.replace(/(?<=.)\/$/, '')
  const reads = method === 'GET' || method === 'HEAD'
  if (path === '/healthz' && reads) return health(besides)
  if ((path === '/docs' || path.startsWith('/docs/')) && reads) return besides.docs(path)
  const reactor = method === 'GET' ? /^\/_dev\/reactors\/([^/]+)\/console$/.exec(path)?.[1] : undefined
  if (!besides.dev || !path.startsWith('/_dev/')) return undefined
  if (method !== 'POST' && reactor === undefined) return undefined
  if (request.headers.origin !== undefined) {
    throw new ServiceError('permission_denied', 'development endpoints refuse requests from web pages')
  }
  const { host } = request.headers
  if (host !== undefined && !loopback.test(host)) {
    throw new ServiceError(
      'permission_denied',
      'development endpoints are reached at localhost, 127.0.0.1 or [::1]; the Host header names another host',
    )
  }
  if (reactor !== undefined) {
    return json(200, await besides.printed(request.headers[besides.keyHeader], reactor))
  }
  switch (path) {
    case '/_dev/clock': {
      const { advance_ms } = await readMembers(request)
      if (!Number.isSafeInteger(advance_ms) || Number(advance_ms) < 0 || Number(advance_ms) > furthestMs) {
        throw invalid('advance_ms', `must be a whole number of milliseconds from 0 to ${furthestMs}`)
      }
      return json(200, await besides.advanceClock(Number(advance_ms)))
    }
    case '/_dev/reset':
      await besides.reset()
      return { status: 204, headers: {} }
    case '/_dev/tenants': {
      const { operator = false } = await readMembers(request)
      if (typeof operator !== 'boolean') throw invalid('operator', 'must be true or false')
      return json(201, await besides.createTenant(operator))
    }
    default:
      return undefined
  }
}

function health(besides: Besides): CoreResponse {
  const reason = besides.unhealthy()
  return reason === undefined
    ? // Which layers hold formulas is no secret: whoever may write one can find out by trying.
      json(200, { status: 'ok', formulas: besides.formulas() })
    : json(503, { status: 'unavailable', reason }, { 'Retry-After': '1' })
}

async function readMembers(request: CoreRequest) {
  const bytes = await request.readBody(limits.bodyBytes)
  if (!bytes)
    throw new ServiceError('payload_too_large', `the body must not be longer than ${limits.bodyBytes} bytes`)
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new ServiceError('malformed_json', 'the body is not UTF-8')
  if (text === '') return {}
  try {
    const value = parseJson(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
  }
  throw new ServiceError('malformed_json', 'the body must be a JSON object')
}

function json(status: number, body: object | JsonValue, headers: Record<string, string> = {}): CoreResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
