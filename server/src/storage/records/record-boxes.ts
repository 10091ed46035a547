import type { LRUCache } from 'lru-cache'
import type { Random } from '../../base/random.ts'
import { BoxError, type SealingKey } from '../../crypto/envelope.ts'
import { Sealer } from '../../crypto/sealer.ts'
import { BrokenRecord } from '../broken-record.ts'
import { keptOpen } from '../kinds.ts'
import type { Digest, DocumentKind, StoredDocument } from '../port.ts'
import { OpenedRecord, type RecordValue } from './opened-record.ts'

/** Seals a tenant's records into boxes, and opens them. */
export class RecordBoxes {
  readonly #tenant: string
  readonly #sealer: Sealer
  readonly #opened: LRUCache<string, OpenedRecord<RecordValue>>

  /** @param opened keeps opened records of the kinds in `keptOpen`, of all tenants */
  constructor(
    tenant: string,
    key: SealingKey,
    random: Random,
    opened: LRUCache<string, OpenedRecord<RecordValue>>,
  ) {
    this.#tenant = tenant
    this.#sealer = new Sealer(key, random)
    this.#opened = opened
  }

  seal(kind: DocumentKind, id: Digest, version: number, value: RecordValue): Uint8Array {
    return this.#sealer.seal(this.#context(kind, id, version), JSON.stringify(value))
  }

  /** @throws {BrokenRecord} */
  open<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> {
    const { kind, id, version, createdUs } = document
    // createdUs tells a record from an earlier one of the same id and version.
    const key = keptOpen.has(kind) ? `${this.#tenant}${kind}${id}${version}.${createdUs}` : undefined
    const kept = key === undefined ? undefined : this.#opened.get(key)
    if (kept) return kept as OpenedRecord<T>
    const plain = this.#unseal(document)
    const value = JSON.parse(Buffer.from(plain.buffer, plain.byteOffset, plain.length).toString()) as T
    plain.fill(0)
    const record = new OpenedRecord(value, document)
    if (key !== undefined) this.#opened.set(key, record)
    return record
  }

  #unseal({ kind, id, version, box }: StoredDocument): Uint8Array {
    try {
      return this.#sealer.open(this.#context(kind, id, version), box)
    } catch (error) {
      if (error instanceof BoxError) throw new BrokenRecord(kind, this.#tenant, id)
      throw error
    }
  }

  /** A box opens as this version of this record and nowhere else. */
  #context(kind: DocumentKind, id: Digest, version: number): string {
    return `${kind}|${this.#tenant}|${id}|${version}`
  }
}
