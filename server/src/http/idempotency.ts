import { ServiceError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { deriveKey, keyedBytesDigestHex, sameDigest } from '../crypto/digest.ts'
import { open, type SealingKey, seal } from '../crypto/envelope.ts'
import type { Write } from '../storage/port.ts'
import type { RecordValue, TenantStore } from '../storage/records/sealed.ts'

/** How long a success is answered again. */
const keptMs = 24 * 60 * 60 * 1000

/** A success to be answered again, by reading anew what it made or changed. */
export interface KeptAnswer {
  readonly status: number
  /** The id of what was made or changed, where it is one thing. */
  readonly entity?: string
  /** What is kept nowhere else: a key, what a formula gave, which tokens a payload became. */
  readonly details?: object
}

/** What goes into the commit that does the work, so that work and receipt are both there or neither. */
export type Receipt = (kept: KeptAnswer) => Write[]

/** The sealed answer is useless to whoever knows neither the caller's key nor the idempotency key. */
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

/** One use of an idempotency key. Neither it nor the caller's key is stored, only what can be made from both. */
export class KeyedUse {
  readonly #store: TenantStore
  readonly #random: Random
  readonly #key: SealingKey
  readonly id: string
  readonly #requestDigest: string

  constructor(store: TenantStore, random: Random, request: KeyedRequest) {
    const { apiKey, idempotencyKey, target, body } = request
    this.#store = store
    this.#random = random
    this.#key = { version: 1, key: deriveKey(apiKey, 'idempotency seal', idempotencyKey) }
    this.id = Buffer.from(deriveKey(apiKey, 'idempotency id', idempotencyKey)).toString('hex')
    this.#requestDigest = keyedBytesDigestHex(this.#key.key, target, body)
  }

  /**
   * The success that this key stands for, if there is one, or how to keep one.
   * @throws {ServiceError} idempotency_mismatch, where the key stood for another request
   */
  async look(nowUs: number): Promise<{ readonly kept: KeptAnswer } | Receipt> {
    const record = await this.#store.get<ReceiptRecord>('idempotency', this.id)
    if (!record) return this.#receipt(nowUs)
    const keptUs = record.modifiedUs ?? record.createdUs
    // The receipt takes the place of what was seen here: looked for again, it could be that of a rival.
    if (keptUs + keptMs * 1000 <= nowUs) return this.#receipt(nowUs, record.version)
    // Requirements: IDE-502, IDE-504
    if (!sameDigest(record.value.request_digest, this.#requestDigest)) {
      throw new ServiceError('idempotency_mismatch', 'this idempotency key was used with another request')
    }
    const sealed = Buffer.from(record.value.answer, 'base64')
    const answer = Buffer.from(open(this.#key, this.id, sealed)).toString()
    return { kept: JSON.parse(answer) }
  }

  /** The write that keeps a success. It fails its commit where another request with this key was quicker. */
  #receipt(nowUs: number, over?: number): Receipt {
    return kept => {
      const answer = seal(this.#key, this.id, Buffer.from(JSON.stringify(kept)), this.#random)
      const record: ReceiptRecord = {
        id: this.id,
        request_digest: this.#requestDigest,
        answer: Buffer.from(answer).toString('base64'),
      }
      const index = { dueMs: Math.floor(nowUs / 1000) + keptMs }
      return over === undefined
        ? [this.#store.insert('idempotency', record, index)]
        : [this.#store.replace('idempotency', over, record, index)]
    }
  }
}
