import type { Exchange } from '../exchange.ts'
import { type CoreResponse, jsonResponse } from '../message.ts'
import type { DevEndpoints } from './dev.ts'
import type { Docs } from './docs.ts'

/** The paths that are not in the contract, or in it for development servers only. */
export interface OutsidePaths {
  readonly health: Health
  readonly docs: Docs
  /** Absent unless this is a development server. */
  readonly dev?: DevEndpoints | undefined
}

const outside = /^\/(healthz|docs|_dev)(\/|$)/

/** Responds to `/healthz`, `/docs` and `/_dev/*`. Returns `undefined`, or resolves with it, for any other request. */
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
  if (path.startsWith('/_dev/')) return dev?.respond(exchange)
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  return path === '/healthz' ? respondHealth(health) : docs.respond(path)
}

export interface Health {
  /** Returns why the server cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined
  /** Returns how the processes of formulas are isolated, once one was started. No secret: a formula can find out. */
  formulas(): object | undefined
}

export function respondHealth(health: Health): CoreResponse {
  const reason = health.unhealthy()
  return reason === undefined
    ? jsonResponse(200, { status: 'ok', formulas: health.formulas() })
    : jsonResponse(503, { status: 'unavailable', reason }, { 'Retry-After': '1' })
}
