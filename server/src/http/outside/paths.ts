import { generatedFiles } from '../../generated-files.ts'
import type { Outside } from '../pipeline/core.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { type CoreRequest, type CoreResponse, jsonResponse } from '../transport/message.ts'
import { fileAt, gzippedAt, html, policyOf, StaticFiles, script, style } from './static-files.ts'

const outside = /^\/((healthz|livez|readyz|docs)(\/|$)|$)/

/** Returns what responds to `/`, the health endpoints and `/docs`. */
export function respondOutside(health: Health, docs: StaticFiles): Outside {
  const respond = async ({ request }: Exchange): Promise<CoreResponse | undefined> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = request.path.replace(/\/$/, '')
    if (path === '') return acceptsHtml(request) ? toDocs() : undefined
    return respondHealth(health, path) ?? docs.respond(path, request.headers)
  }
  // Most requests are for other paths, and should not wait for a promise.
  return exchange => (outside.test(exchange.request.path) ? respond(exchange) : undefined)
}

/** True for browsers: programs accept JSON, or anything. */
const acceptsHtml = ({ headers }: CoreRequest) => /\btext\/html\b/i.test(headers.accept ?? '')

const toDocs = (): CoreResponse => ({
  status: 303,
  headers: { Location: '/docs', Vary: 'Accept', 'Cache-Control': 'no-store' },
})

export interface Health {
  /** Returns why the server cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined
  /** True if the server is about to close. */
  draining(): boolean
  /** True if it still loads what it was given for formulas. */
  starting(): boolean
  /** Returns how the processes of formulas are isolated, once one was started. No secret: a formula can find out. */
  formulas(): object | undefined
}

const soon = { 'Retry-After': '1' }

/**
 * Responds to the health endpoints; returns `undefined` for any other path.
 *
 * - `/livez`: the process runs and its event loop turns, as there is a response at all. Independent of the store: a
 *   restart does not bring back a database.
 * - `/readyz`: the store can be written to, the modules of formulas are loaded, and the server is not about to close. A
 *   server whose store needs a migration does not start.
 * - `/healthz`: for people, with the reason.
 */
export function respondHealth(health: Health, path: string): CoreResponse | undefined {
  switch (path) {
    case '/livez':
      return jsonResponse(200, { status: 'ok' })
    case '/readyz': {
      const status = statusOf(health)
      return status === 'ok' ? jsonResponse(200, { status }) : jsonResponse(503, { status }, soon)
    }
    case '/healthz': {
      const reason = health.unhealthy()
      return reason === undefined
        ? jsonResponse(200, { status: 'ok', formulas: health.formulas() })
        : jsonResponse(503, { status: 'unavailable', reason }, soon)
    }
    default:
      return undefined
  }
}

function statusOf(health: Health): 'ok' | 'starting' | 'draining' | 'unavailable' {
  if (health.draining()) return 'draining'
  if (health.unhealthy() !== undefined) return 'unavailable'
  return health.starting() ? 'starting' : 'ok'
}

const folder = new URL('docs/', generatedFiles)

/** Scalar sets styles of elements, and lets Vue parse markup, which it has sanitized. */
const policy = policyOf({ style: "'self' 'unsafe-inline'", trustedTypes: 'vue' })

interface DocsOptions {
  /** Returns the contract as JSON. Is called at the first request for it. */
  readDocument(): string
  /** True if the page may send requests: elsewhere keys are not to be typed into a page. */
  readonly maySend: boolean
}

/** Serves the contract as a page, from files of this package only: it works without a network. */
export function docsFiles({ readDocument, maySend }: DocsOptions): StaticFiles {
  const files = {
    '/docs': fileAt(new URL('index.html', folder), html, text => text.replace('MAY_SEND', String(maySend))),
    '/docs/docs.js': fileAt(new URL('docs.js', folder), script),
    '/docs/docs.css': fileAt(new URL('docs.css', folder), style),
    '/docs/scalar.js': gzippedAt(new URL('scalar.js.gz', folder), script),
    '/docs/openapi.json': { type: 'application/json', read: () => Buffer.from(readDocument()) },
  }
  return new StaticFiles(files, policy)
}
