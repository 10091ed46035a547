import type { Exchange } from '../pipeline/exchange.ts'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'
import { type Health, respondHealth } from './health.ts'
import type { StaticFiles } from './static-files.ts'

/** The paths that are not in the contract, or in it for development servers only. */
export interface OutsidePaths {
  readonly health: Health
  readonly docs: StaticFiles
  /** Absent unless this is a development server. */
  readonly dev?: { respond(exchange: Exchange, path: string): Promise<CoreResponse> } | undefined
}

const outside = /^\/((healthz|livez|readyz|docs|_dev)(\/|$)|$)/

/** Responds to `/`, the health endpoints, `/docs` and `/_dev`. Returns `undefined`, or resolves with it, for any other request. */
export function respondOutside(
  paths: OutsidePaths,
  exchange: Exchange,
): Promise<CoreResponse | undefined> | undefined {
  // Most requests are for other paths, and should not wait for a promise.
  return outside.test(exchange.request.path) ? respond(paths, exchange) : undefined
}

async function respond(
  { health, docs, dev }: OutsidePaths,
  exchange: Exchange,
): Promise<CoreResponse | undefined> {
  const { request } = exchange
  const path = request.path.replace(/\/$/, '')
  if (path === '/_dev' || path.startsWith('/_dev/')) return dev?.respond(exchange, path)
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (path === '') return acceptsHtml(request) ? toDocs() : undefined
  return respondHealth(health, path) ?? docs.respond(path, request.headers)
}

/** True for browsers: programs accept JSON, or anything. */
const acceptsHtml = ({ headers }: CoreRequest) => /\btext\/html\b/i.test(headers.accept ?? '')

const toDocs = (): CoreResponse => ({
  status: 303,
  headers: { Location: '/docs', Vary: 'Accept', 'Cache-Control': 'no-store' },
})
