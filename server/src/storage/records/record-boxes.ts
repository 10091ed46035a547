import type { LRUCache } from 'lru-cache'
import type { Random } from '../../base/random.ts'
import { Sealer, type SealingKey } from '../../crypto/envelope.ts'
import { BrokenRecord } from '../broken-record.ts'
import { keptOpen } from '../port/kinds.ts'
import type { Digest, DocumentKind, NewContent, Stamps, StoredDocument } from '../port/port.ts'
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

  /** Returns how to make the box of a record, when its version and stamps are known. */
  sealing(kind: DocumentKind, id: Digest, value: RecordValue): Pick<NewContent, 'bytes' | 'seal'> {
    const plain = JSON.stringify(value)
    return {
      bytes: Buffer.byteLength(plain),
      seal: stamps => this.#sealer.seal(this.#context(kind, id, stamps), plain),
    }
  }

  /** @throws {BrokenRecord} */
  open<T extends RecordValue>(document: StoredDocument): OpenedRecord<T> {
    const { kind, id, version, createdUs, modifiedUs } = document
    const kept = this.seen<T>(kind, id)
    // createdUs tells a record from an earlier one of the same id and version.
    if (kept?.version === version && kept.createdUs === createdUs && kept.modifiedUs === modifiedUs) {
      return kept
    }
    const plain = this.#sealer.open(this.#context(kind, id, document), document.box)
    if (!plain) throw new BrokenRecord(kind, this.#tenant, id)
    const value = JSON.parse(plain.toString()) as T
    plain.fill(0)
    const record = new OpenedRecord(value, document)
    if (keptOpen.has(kind)) this.#opened.set(this.#tenant + kind + id, record)
    return record
  }

  /** Returns a record as it was when it was last opened, if it is still in memory. */
  seen<T extends RecordValue>(kind: DocumentKind, id: Digest): OpenedRecord<T> | undefined {
    if (!keptOpen.has(kind)) return undefined
    // As in the engine, a look is not a use.
    return this.#opened.peek(this.#tenant + kind + id) as OpenedRecord<T> | undefined
  }

  /** A box opens as this version of this record, with these times, and nowhere else. */
  #context(kind: DocumentKind, id: Digest, { version, createdUs, modifiedUs = 0 }: Stamps): string {
    return `${kind}|${this.#tenant}|${id}|${version}|${createdUs}|${modifiedUs}`
  }
}
