import { ServiceError } from '../base/errors.ts'
import type { Services } from './exchange.ts'
import type { Handler, HandlerRequest } from './handlers/handler.ts'
import { type KeyedRequest, KeyedUse } from './idempotency.ts'
import type { Answer } from './message.ts'

/**
 * Performs a request that carries an idempotency key: the first success is kept and answered again, a failure
 * is not. The receipt is written in the commit that does the work, so a crash leaves both or neither.
 *
 * Of requests that meet in this process the later are refused. Where another process on the same store was quicker
 * its commit makes ours fail, in this way or that: whatever the failure, a success that is kept by then is the answer.
 */
// Requirements: IDE-501, IDE-503
export async function performOnce(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'replays' | 'inFlight'>,
  operationId: string,
  handler: Handler,
  request: HandlerRequest,
  keyed: KeyedRequest,
): Promise<Answer> {
  const { store: sealed, clock, random, inFlight } = services
  const replay = services.replays[operationId]
  if (!replay) throw new Error(`no replay for ${operationId}`)
  const store = await sealed.tenant(request.caller.tenant)
  if (!store) throw new Error('a caller without a tenant')
  const use = new KeyedUse(store, random, keyed)
  const flight = `${store.tenant} ${use.id}`
  if (inFlight.has(flight)) {
    throw new ServiceError('idempotency_conflict', 'a request with this idempotency key is still in flight')
  }
  inFlight.add(flight)
  /** What somebody else has done by now. */
  const rival = async () => {
    const seen = await use.look(clock.nowUs())
    return 'kept' in seen ? replay(request, seen.kept) : undefined
  }
  try {
    const receipt = await use.look(clock.nowUs())
    if ('kept' in receipt) return await replay(request, receipt.kept)
    try {
      const answer = await handler({ ...request, receipt })
      if (!answer.keep) return answer
      const write = receipt(answer.keep)
      return (await store.commit(write, clock.nowUs())).ok ? answer : ((await rival()) ?? answer)
    } catch (error) {
      const other = error instanceof ServiceError ? await rival() : undefined
      if (!other) throw error
      return other
    }
  } finally {
    inFlight.delete(flight)
  }
}
