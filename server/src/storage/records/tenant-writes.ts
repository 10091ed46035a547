import type { LRUCache } from 'lru-cache'
import type { Places } from '../../base/flow/places.ts'
import type { Turns } from '../../base/flow/turns.ts'
import type { Random } from '../../base/random.ts'
import type { BrokenRecord } from '../broken-record.ts'
import type { TenantKeys } from '../keys/keyring.ts'
import { randomIds } from '../port/kinds.ts'
import type { Digest, DocumentKind, Engine, StoredDocument, Write } from '../port/port.ts'
import { KindSizes, stepBytes } from './large-records.ts'
import type { OpenedRecord, RecordValue } from './opened-record.ts'
import { RecordBoxes } from './record-boxes.ts'
import { TenantDigests } from './tenant-digests.ts'

/** The part of a record that the store may know. */
export interface RecordIndex {
  readonly terms?: readonly Digest[]
  readonly uniques?: readonly Digest[]
  readonly dueMs?: number
}

/** Called for each record that is left out because it does not open. */
export type OnBroken = (broken: BrokenRecord) => void

/** Shared by the records of all tenants. */
export interface Shared {
  readonly engine: Engine
  readonly random: Random
  readonly onBroken: OnBroken
  readonly opened: LRUCache<string, OpenedRecord<RecordValue>>
  /** Those of long work on the event loop. */
  readonly turns: Turns
  readonly largeReads: Places
  /** How often the store was emptied. */
  clears: number
}

/** The version that a record has to have, or the record itself, which no other one with its id can be taken for. */
type Expected = number | Pick<StoredDocument, 'version' | 'createdUs'>

function conditionOf(expected: Expected): { readonly version: number; readonly createdUs?: number } {
  if (typeof expected === 'number') return { version: expected }
  return { version: expected.version, createdUs: expected.createdUs }
}

/** Makes the writes of one tenant's records. They are committed by `commit`, also those of several tenants together. */
export class TenantWrites extends TenantDigests {
  readonly tenant: string
  /** When its keys were made. */
  readonly keysCreatedUs: number
  protected readonly shared: Shared
  protected readonly boxes: RecordBoxes
  protected readonly sizes = new KindSizes()

  constructor(tenant: string, keys: TenantKeys, shared: Shared) {
    super(keys.index)
    this.tenant = tenant
    this.keysCreatedUs = keys.createdUs
    this.shared = shared
    this.boxes = new RecordBoxes(tenant, keys.data, shared.random, shared.opened)
  }

  /** @param fresh the id was made at random for this record, as it always is for some kinds */
  insert(
    kind: DocumentKind,
    value: RecordValue,
    index: RecordIndex = {},
    fresh: boolean = randomIds.has(kind),
  ): Write {
    return { type: 'insert', fresh, ...this.#document(kind, value, index) }
  }

  /** @param expected for an id that may be used again: the record that was read, and otherwise its version */
  replace(kind: DocumentKind, expected: Expected, value: RecordValue, index: RecordIndex = {}): Write {
    const condition = conditionOf(expected)
    return { type: 'replace', ...condition, ...this.#document(kind, value, index) }
  }

  /** @param expected as for `replace` */
  remove(kind: DocumentKind, id: string, expected?: Expected): Write {
    const condition = expected === undefined ? {} : conditionOf(expected)
    return { type: 'remove', ...condition, kind, tenant: this.tenant, id: this.address(kind, id) }
  }

  /** The condition that a record still has this version, or does not exist (0). */
  expect(kind: DocumentKind, id: string, version: number): Write {
    return { type: 'expect', kind, tenant: this.tenant, id: this.address(kind, id), version }
  }

  #document(kind: DocumentKind, value: RecordValue, index: RecordIndex) {
    const id = this.address(kind, value.id)
    const sealing = this.boxes.sealing(kind, id, value)
    if (sealing.bytes > stepBytes) {
      this.sizes.large.add(kind)
      this.sizes.paused.add(kind)
    }
    return {
      kind,
      tenant: this.tenant,
      id,
      terms: index.terms ?? [],
      uniques: index.uniques ?? [],
      ...sealing,
      ...(index.dueMs === undefined ? {} : { dueMs: index.dueMs }),
    }
  }
}
