import { Room, type RoomParts } from '../../access/room.ts'
import { ServiceError } from '../../base/errors.ts'
import type { OperationId } from '../../generated/operations.ts'
import { type Replays, replayOf, type ValidatedHandler, type ValidatedRequest } from '../handlers/handler.ts'
import type { Answer } from '../transport/message.ts'
import { type KeyedRequest, KeyedUse } from './idempotency.ts'

interface IdempotencyParts extends RoomParts {
  readonly replays: Replays
}

/**
 * Performs requests that carry an idempotency key. The first success is kept and sent again, a failure is not. The receipt
 * is written in the commit that does the work, so a crash leaves both or neither.
 *
 * Within this process a second request with the same key is refused while the first is in flight. If another process
 * on the same store was quicker, our commit fails; whatever the failure, the answer it has kept is sent.
 */
// Requirements: IDE-501, IDE-503
export class Idempotency extends Room<IdempotencyParts> {
  /** The idempotency keys of requests in progress, by tenant and digest. */
  readonly #inFlight = new Set<string>()

  async perform(
    operationId: OperationId,
    handler: ValidatedHandler,
    request: ValidatedRequest,
    keyed: KeyedRequest,
  ): Promise<Answer> {
    const { random, clock, replays } = this.parts
    const replay = replayOf(replays, operationId)
    if (!replay) throw new Error(`no replay for ${operationId}`)
    const { store } = this.of(request.caller)
    const use = new KeyedUse(store, random, keyed)
    const flight = `${store.tenant} ${use.id}`
    if (this.#inFlight.has(flight)) {
      throw new ServiceError('idempotency_conflict', 'a request with this idempotency key is still in flight')
    }
    this.#inFlight.add(flight)
    try {
      const found = await use.look(clock.nowUs())
      if ('recorded' in found) return await replay(request, found.recorded)
      try {
        return await handler({ ...request, receipt: found })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        const since = await use.look(clock.nowUs())
        if (!('recorded' in since)) throw error
        return await replay(request, since.recorded)
      }
    } finally {
      this.#inFlight.delete(flight)
    }
  }
}
