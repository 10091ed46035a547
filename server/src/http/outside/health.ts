import { type CoreResponse, jsonResponse } from '../message.ts'

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
