import { type DeniedCause, deniedCause } from '../access/caller.ts'
import type { ServiceError } from '../base/errors.ts'
import { NoTargets } from '../http/pipeline/lifecycle.ts'
import { TargetFailed, TargetNotAllowed } from '../proxy/proxy.ts'

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
  if (cause instanceof NoTargets)
    return 'no target of /proxy is allowed; name one by --proxy-allow-origin or --proxy-map-origin (proxyAllowOrigins, proxyMapOrigins)'
  if (cause instanceof TargetNotAllowed)
    return 'allow it by --proxy-allow-origin (proxyAllowOrigins), or send it to another by --proxy-map-origin (proxyMapOrigins)'
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
