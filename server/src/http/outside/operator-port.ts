import { ServiceError } from '../../base/errors.ts'
import { describeError, type Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import type { Core } from '../pipeline/core.ts'
import { problemResponse, toServiceError } from '../pipeline/problem.ts'
import { type ListenAddress, type Listening, listen } from '../transport/listener.ts'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'
import { type Health, respondHealth } from './paths.ts'

interface Operated {
  readonly health: Health
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  readonly random: Random
  readonly log: Log
  readonly connected: () => void
}

/**
 * Opens a port that only operators reach, for `/metrics` and the health endpoints. Its connections have a limit of their own, so
 * that callers of the other port cannot fill it. `/metrics` is not on the port
 * of the operations: whoever has a key could see there how much others do, and behind a proxy every request seems to
 * come from this machine.
 */
export function openOperatorPort(operated: Operated, address: ListenAddress): Promise<Listening> {
  return listen(createOperatorCore(operated), address, operated)
}

/** Serves the requests of that port. */
export function createOperatorCore({ health, metrics, random, log }: Omit<Operated, 'connected'>): Core {
  const respond = async ({ method, path }: CoreRequest): Promise<CoreResponse> => {
    const isRead = method === 'GET' || method === 'HEAD'
    const found = isRead ? respondHealth(health, path) : undefined
    if (found) return found
    if (!isRead || path !== '/metrics')
      throw new ServiceError('not_found', 'this port has /metrics, /livez, /readyz and /healthz')
    const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
    return { status: 200, headers, body: await metrics.text() }
  }
  return async request => {
    try {
      return await respond(request)
    } catch (error) {
      const refusal = toServiceError(error)
      if (refusal !== error) log.error('metrics failed', describeError(error))
      return problemResponse(refusal, random.uuid())
    }
  }
}
