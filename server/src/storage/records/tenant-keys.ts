import type { LRUCache } from 'lru-cache'
import { ClearingCache } from '../../base/cache.ts'
import { comparableId } from '../../base/comparable-id.ts'
import type { Random } from '../../base/random.ts'
import { Plaintext } from '../../base/secret.ts'
import { KeyedDigest } from '../../crypto/digest.ts'
import { Sealer, type SealingKey } from '../../crypto/envelope.ts'
import { BrokenRecord } from '../broken-record.ts'
import { randomIds, remainOpen } from '../port/kinds.ts'
import {
  type Digest,
  type DocumentKind,
  digestOfUuid,
  type NewContent,
  type Query,
  type Stamps,
  type StoredDocument,
  type Written,
} from '../port/port.ts'

/** The value of any record: JSON with an id. */
export interface RecordValue {
  readonly id: string
}

/** A decrypted record: its value, version and times. Not printable. */
export class OpenedRecord<T extends RecordValue> extends Plaintext implements Written {
  readonly value: T
  readonly version: number
  readonly createdUs: number
  declare readonly modifiedUs?: number

  constructor(value: T, { version, createdUs, modifiedUs }: Written) {
    super()
    this.value = value
    this.version = version
    this.createdUs = createdUs
    if (modifiedUs !== undefined) this.modifiedUs = modifiedUs
  }
}

/** The parts of a record that responses show. */
export type Dated<T extends RecordValue> = Pick<OpenedRecord<T>, 'value' | 'createdUs' | 'modifiedUs'>

/** Seals a tenant's records into boxes, and opens them. */
export class RecordBoxes {
  readonly #tenant: string
  readonly #sealer: Sealer
  readonly #opened: LRUCache<string, OpenedRecord<RecordValue>>

  /** @param opened keeps opened records of the kinds in `remainOpen`, of all tenants */
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
    if (remainOpen.has(kind)) this.#opened.set(this.#tenant + kind + id, record)
    return record
  }

  /** Returns a record as it was when it was last opened, if it is still in memory. */
  seen<T extends RecordValue>(kind: DocumentKind, id: Digest): OpenedRecord<T> | undefined {
    if (!remainOpen.has(kind)) return undefined
    // As in the engine, a look is not a use.
    return this.#opened.peek(this.#tenant + kind + id) as OpenedRecord<T> | undefined
  }

  /** A box opens as this version of this record, with these times, and nowhere else. */
  #context(kind: DocumentKind, id: Digest, { version, createdUs, modifiedUs = 0 }: Stamps): string {
    return `${kind}|${this.#tenant}|${id}|${version}|${createdUs}|${modifiedUs}`
  }
}

/**
 * A UUID that begins with its time (version 7), until 2109. A caller may choose any id, and what it begins with is in clear
 * then: no card number begins so.
 */
const timedUuid = /^0[0-3][0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Fields of few and insensitive values, whose terms may be remembered. */
const commonFields: ReadonlySet<string> = new Set([
  'type',
  'container',
  'under',
  'containers',
  'container-numbered',
  'under-numbered',
  'created_by',
  'modified_by',
  'entity_type',
])

/** Digests remembered per kind or field: enough for the lists of two callers with 100 rules on ten containers each. */
const mostDigests = 2000

/** More than there are kinds or common fields. */
const mostNames = 100

/** Where the record of an API key is. */
export interface KeyPlace {
  readonly digest: string
  /** The tenant that the key says it belongs to. */
  readonly tenant: string | undefined
}

/** The digests under a tenant's index key by which the store knows ids, terms and API keys. */
export class TenantDigests {
  readonly #index: KeyedDigest
  /** Of API keys that lead to a caller. */
  readonly keyPlaces = new ClearingCache<string, KeyPlace>(1000)
  /** By use and by kind or field, so that each has its own limit. */
  readonly #known = {
    id: new ClearingCache<string, ClearingCache<string, Digest>>(mostNames),
    term: new ClearingCache<string, ClearingCache<string, Digest>>(mostNames),
  }

  constructor(indexKey: Uint8Array) {
    this.#index = new KeyedDigest(indexKey)
  }

  /** The store's address of an id. */
  // Requirements: TOK-561
  address(kind: DocumentKind, given: string): Digest {
    const id = comparableId(given)
    // A random id of our own tells nothing, and needs no digest.
    if (randomIds.has(kind)) return digestOfUuid(id)
    if (remainOpen.has(kind)) return this.#remembered('id', kind, id)
    // Records that were made one after another lie close together, so that the store rewrites less.
    const time = timedUuid.test(id) ? id.slice(0, 8) + id.slice(9, 13) : ''
    const digest = this.#index.hex('id', kind, id)
    return digestOfUuid(time + digest.slice(time.length, 32))
  }

  /** The query for records with one of these ids, or for all. */
  among(kind: DocumentKind, ids: readonly string[] | undefined): Query {
    if (ids === undefined) return { op: 'all' }
    return { op: 'ids', ids: [...new Set(ids.map(id => this.address(kind, id)))] }
  }

  /** The term by which a search finds `value` in `field`. Case counts. */
  term(field: string, value: string): Digest {
    return commonFields.has(field)
      ? this.#remembered('term', field, value)
      : this.#digest('term', field, value)
  }

  /** The digest that stands for an API key in the store. */
  apiKeyDigest(key: string): string {
    return this.publicDigest('api-key', key)
  }

  /** A keyed one-way digest that callers may see: 64 hex digits, different from every term. */
  publicDigest(purpose: string, value: string): string {
    return this.#index.hex('shown', purpose, value)
  }

  #remembered(use: 'id' | 'term', name: string, value: string): Digest {
    const known = this.#known[use].of(name, () => new ClearingCache(mostDigests))
    return known.of(value, () => this.#digest(use, name, value))
  }

  #digest(use: 'id' | 'term', name: string, value: string): Digest {
    return this.#index.short(use, name, value) as Digest
  }
}
