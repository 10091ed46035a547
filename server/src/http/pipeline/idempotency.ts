import { ServiceError } from '../../base/errors.ts'
import type { Random } from '../../base/random.ts'
import { deriveKey, keyedBytesDigestHex, sameDigest } from '../../crypto/digest.ts'
import { open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { limits } from '../../generated/facts.ts'
import type { Receipt, RecordedAnswer, RecordedEntity } from '../../storage/port/transact.ts'
import type { RecordValue, TenantRecords } from '../../storage/records/records.ts'

export type { Receipt, RecordedAnswer, RecordedEntity }

/** A receipt at rest. The sealed answer is useless without the caller's key and the idempotency key. */
interface ReceiptRecord extends RecordValue {
  readonly request_digest: string
  /** The kept answer, sealed under a key of the caller's two keys, in base64. */
  readonly answer: string
}

export interface KeyedRequest {
  readonly apiKey: string
  readonly idempotencyKey: string
  /** The operation and its parameters, the same however a path spells them. */
  readonly target: string
  readonly body: Uint8Array
}

/** The use of an idempotency key by a caller. Neither key is stored, only digests and a seal made from both. */
export class KeyedUse {
  readonly #store: TenantRecords
  readonly #random: Random
  readonly #key: SealingKey
  readonly id: string
  readonly #requestDigest: string

  constructor(store: TenantRecords, random: Random, request: KeyedRequest) {
    const { apiKey, idempotencyKey, target, body } = request
    this.#store = store
    this.#random = random
    this.#key = { version: 1, key: deriveKey(apiKey, 'idempotency seal', idempotencyKey) }
    this.id = Buffer.from(deriveKey(apiKey, 'idempotency id', idempotencyKey)).toString('hex')
    this.#requestDigest = keyedBytesDigestHex(this.#key.key, target, body)
  }

  /**
   * Returns the answer that was kept under this key, or the receipt with which to keep one.
   * @throws {ServiceError} idempotency_mismatch, if the key was used with another request
   */
  async look(nowUs: number): Promise<{ readonly recorded: RecordedAnswer } | Receipt> {
    const record = await this.#store.get<ReceiptRecord>('idempotency', this.id)
    if (!record) return this.#receipt(nowUs)
    const keptUs = record.modifiedUs ?? record.createdUs
    // Replaces exactly the version seen here: a later one would be the receipt of a concurrent request.
    if (keptUs + limits.idempotencyLifetime * 1000 <= nowUs) return this.#receipt(nowUs, record.version)
    // Requirements: IDE-502, IDE-504
    if (!sameDigest(record.value.request_digest, this.#requestDigest)) {
      throw new ServiceError('idempotency_mismatch', 'this idempotency key was used with another request')
    }
    const sealed = Buffer.from(record.value.answer, 'base64')
    const answer = open(this.#key, this.id, sealed)
    if (!answer) throw new Error('the answer in a receipt does not open')
    return { recorded: JSON.parse(Buffer.from(answer).toString()) }
  }

  /** @param version of the expired receipt that this one replaces */
  #receipt(nowUs: number, version?: number): Receipt {
    return recorded => {
      const answer = seal(this.#key, this.id, Buffer.from(JSON.stringify(recorded)), this.#random)
      const record: ReceiptRecord = {
        id: this.id,
        request_digest: this.#requestDigest,
        answer: Buffer.from(answer).toString('base64'),
      }
      const index = { dueMs: Math.floor(nowUs / 1000) + limits.idempotencyLifetime }
      return version === undefined
        ? [this.#store.insert('idempotency', record, index)]
        : [this.#store.replace('idempotency', version, record, index)]
    }
  }
}
