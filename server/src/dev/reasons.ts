import { type DeniedCause, deniedCause } from '../access/caller.ts'
import type { ServiceError } from '../base/errors.ts'
import { TargetFailed, TargetNotAllowed } from '../proxy/proxy.ts'
import { CallbackNotPublic } from '../webhooks/webhooks.ts'

/** Why a request was refused, as developers are told: it may name flags, addresses and times. */
export interface Reason {
  readonly denied: DeniedCause | undefined
  readonly text: string | undefined
}

export function reasonOf(refusal: ServiceError): Reason {
  const denied = deniedCause(refusal)
  return { denied, text: denied?.missing ?? textOf(refusal.cause) }
}

function textOf(cause: unknown): string | undefined {
  if (cause instanceof TargetNotAllowed)
    return 'allow it by --proxy-allow-origin (proxyAllowOrigins), send it to another by --proxy-map-origin (proxyMapOrigins), or answer it by dev.egress.respond in a test'
  if (cause instanceof CallbackNotPublic)
    return 'allow it by --allow-private-callbacks (allowPrivateCallbacks), or receive the webhook at dev.inbox.url in a test'
  if (!(cause instanceof TargetFailed)) return undefined
  const { origin, failure } = cause
  return `${origin}: ${connectionReason(failure.cause) ?? failure.message}`
}

/** Returns what the system says of a connection that failed. Node tries several addresses, and says nothing of all. */
function connectionReason(cause: unknown): string | undefined {
  const { message, errors } = Object(cause) as { message?: unknown; errors?: readonly unknown[] }
  const all = Array.isArray(errors) ? errors.map(one => (one as Error).message) : [message]
  return all.filter(one => typeof one === 'string' && one !== '').join(', ') || undefined
}
