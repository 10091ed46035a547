import { ServiceError } from '../../base/errors.ts'
import type { Conflict, Write } from '../port.ts'

/**
 * A commit may carry writes beside those of the token: the receipt of an idempotency key. Where that one
 * failed, another request with the same key has done the work meanwhile.
 * @throws {ServiceError} idempotency_conflict
 */
export function refuseRivalReceipt(conflict: Conflict, own: readonly Write[]): void {
  if (conflict.write < own.length) return
  throw new ServiceError(
    'idempotency_conflict',
    'another request with this idempotency key is being answered',
  )
}
