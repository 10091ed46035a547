import { type CoreResponse, jsonResponse } from '../transport/message.ts'

export interface Health {
  /** Returns why the server cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined
  /** True if the server is about to close. */
  draining(): boolean
  /** Returns how the processes of formulas are isolated, once one was started. No secret: a formula can find out. */
  formulas(): object | undefined
}

const soon = { 'Retry-After': '1' }

/**
 * Responds to the health endpoints; returns `undefined` for any other path.
 *
 * - `/livez`: the process runs and its event loop turns, as there is a response at all. Independent of the store: a
 *   restart does not bring back a database.
 * - `/readyz`: the store can be written to, and the server is not about to close. A server whose store needs a
 *   migration does not start.
 * - `/healthz`: for people, with the reason.
 */
export function respondHealth(health: Health, path: string): CoreResponse | undefined {
  switch (path) {
    case '/livez':
      return jsonResponse(200, { status: 'ok' })
    case '/readyz': {
      const status = health.draining() ? 'draining' : health.unhealthy() === undefined ? 'ok' : 'unavailable'
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
