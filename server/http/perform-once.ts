import { ServiceError } from '../base/errors.ts'
import type { Services } from './exchange.ts'
import type { Handler, HandlerRequest } from './handlers/handler.ts'
import { type KeptAnswer, type KeyedRequest, KeyedUse, type Receipt } from './idempotency.ts'
import type { Answer } from './message.ts'

/**
 * Performs a request that carries an idempotency key: the first success is kept and answered again, a failure
 * is not. The receipt is written in the commit that does the work, so a crash leaves both or neither.
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
  try {
    const found = await use.find(clock.nowUs())
    if (found) {
      const replay = services.replays[operationId]
      return replay ? await replay(request, found) : answerAgain(found.kept)
    }
    const receipt = await use.receipt(clock.nowUs())
    let written = false
    const once: Receipt = kept => {
      written = true
      return receipt(kept)
    }
    const answer = await handler({ ...request, receipt: once })
    // A formula may have chosen a failure as its answer: none is kept.
    const isKept = !written && answer.status < 400
    if (isKept) await store.commit(receipt(answer.keep ?? wholeAnswer(answer)), clock.nowUs())
    return answer
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
