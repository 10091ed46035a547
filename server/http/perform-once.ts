import { ServiceError } from '../base/errors.ts'
import type { Services } from './exchange.ts'
import type { Handler, HandlerRequest } from './handlers/handler.ts'
import {
  type FoundReceipt,
  type KeptAnswer,
  type KeyedRequest,
  KeyedUse,
  type Receipt,
} from './idempotency.ts'
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
  const store = await sealed.tenant(request.caller.tenant)
  if (!store) throw new Error('a caller without a tenant')
  const use = new KeyedUse(store, random, keyed)
  const flight = `${store.tenant} ${use.id}`
  if (inFlight.has(flight)) {
    throw new ServiceError('idempotency_conflict', 'a request with this idempotency key is still in flight')
  }
  inFlight.add(flight)
  const answerOf = (found: FoundReceipt) => {
    const replay = services.replays[operationId]
    return replay ? replay(request, found) : answerAgain(found.kept)
  }
  /** What somebody else has done by now. */
  const rival = async () => {
    const seen = await use.look(clock.nowUs())
    return 'kept' in seen ? answerOf(seen) : undefined
  }
  try {
    const receipt = await use.look(clock.nowUs())
    if ('kept' in receipt) return await answerOf(receipt)
    let written = false
    const once: Receipt = kept => {
      written = true
      return receipt(kept)
    }
    try {
      const answer = await handler({ ...request, receipt: once })
      // A formula may have chosen a failure as its answer: none is kept.
      if (written || answer.status >= 400) return answer
      const write = receipt(answer.keep ?? wholeAnswer(answer))
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

function wholeAnswer({ status, body }: Answer): KeptAnswer {
  return { status, entity: '', ...(typeof body === 'object' && body !== null ? { body } : {}) }
}

function answerAgain({ status, body }: KeptAnswer): Answer {
  return body === undefined ? { status } : { status, body }
}
