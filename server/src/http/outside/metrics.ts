import { ServiceError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { describeError } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import type { Core } from '../pipeline/core.ts'
import { problemResponse, toServiceError } from '../pipeline/problem.ts'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'
import { reserve } from '../transport/reserve-response.ts'
import { type Health, respondHealth } from './health.ts'

interface MetricsPaths {
  readonly health: Health
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  readonly random: Random
  readonly log: Log
}

/**
 * A core for a port of its own that only operators reach. `/metrics` is not on the port of the operations: whoever has
 * a key could see there how much others do, and behind a proxy every request seems to come from this machine.
 */
export function createMetricsCore({ health, metrics, random, log }: MetricsPaths): Core {
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
    const traceId = random.uuid()
    try {
      return reserve(request, await respond(request), { isRead: true, traceId })
    } catch (error) {
      const refusal = toServiceError(error)
      if (refusal !== error) log.error('metrics failed', describeError(error))
      return problemResponse(refusal, traceId)
    }
  }
}
