import type { Exchange } from '../exchange.ts'
import type { CoreResponse } from '../message.ts'
import type { DevEndpoints } from './dev.ts'
import type { Docs } from './docs.ts'
import { type Health, respondHealth } from './health.ts'

/** The paths that are not in the contract, or in it for development servers only. */
export interface OutsidePaths {
  readonly health: Health
  readonly docs: Docs
  /** Absent unless this is a development server. */
  readonly dev?: DevEndpoints | undefined
}

const outside = /^\/(healthz|livez|readyz|docs|_dev)(\/|$)/

/** Responds to the health endpoints, `/docs` and `/_dev/*`. Returns `undefined`, or resolves with it, for any other request. */
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
  return respondHealth(health, path) ?? docs.respond(path)
}
