import { groupBy } from '../../../base/group-by.ts'
import { type Block, encodeBlock } from '../../index/bits.ts'
import type { NewBlocks } from '../../index/edits.ts'
import type { Change, Header } from '../../port/decide.ts'
import { type Digest, uuidOfDigest } from '../../port/port.ts'
import { numberOf } from './kinds.ts'
import type { Locked, LockedCollection } from './lock.ts'
import { type Ask, Packed, uuidsOf } from './rows.ts'
import { type Statement, writing } from './sql.ts'

interface Written extends Header {
  readonly box: Uint8Array
}

/** The changes of a group to one collection, as rows to delete and rows to insert. */
interface CollectionChanges extends LockedCollection {
  /** Stored documents that were removed or replaced, as they are stored. */
  readonly stored: Map<Digest, Header>
  /** New and replaced documents, as the group leaves them. */
  readonly documents: Map<Digest, Written>
  readonly blocks: readonly NewBlocks[]
}

/** Sends all that a group of commits writes. */
export function writeChanges(
  changes: readonly Change[],
  blocks: readonly NewBlocks[],
  collections: Locked,
  ask: Ask,
): Promise<unknown>[] {
  const all: CollectionChanges[] = []
  for (const [name, own] of groupBy(changes, ({ collection }) => collection)) {
    const collection = collections.get(name) as LockedCollection
    all.push({
      ...collection,
      ...rowsOf(own),
      blocks: blocks.filter(one => one.collection === name),
    })
  }
  const tenants = groupBy(all, ({ tenant }) => tenant)
  return [...tenants].flatMap(([tenant, own]) => writeTenant(tenant, own, ask))
}

function rowsOf(changes: readonly Change[]): Pick<CollectionChanges, 'stored' | 'documents'> {
  const stored = new Map<Digest, Header>()
  const documents = new Map<Digest, Written>()
  const seen = new Set<Digest>()
  for (const { write, before, after } of changes) {
    // Only the state before the group's first change is in the database.
    if (before && !seen.has(write.id)) stored.set(write.id, before)
    seen.add(write.id)
    if (after && 'seal' in write) documents.set(write.id, { ...after, box: write.seal(after) })
    else documents.delete(write.id)
  }
  return { stored, documents }
}

function writeTenant(tenant: string, collections: readonly CollectionChanges[], ask: Ask) {
  const statements: Promise<unknown>[] = []
  const send = (statement: Statement, ...values: unknown[]) => {
    statements.push(ask(statement, [tenant, ...values]))
  }
  for (const { kind, stored, documents, blocks } of collections) {
    const number = numberOf(kind)
    const removed = [...stored.keys()].filter(id => !documents.has(id))
    const freed = moved(holdersIn(stored), holdersIn(documents)).map(([unique]) => unique)
    if (removed.length > 0) send(writing.deleteDocuments, number, uuidsOf(removed))
    if (freed.length > 0) send(writing.deleteUniques, number, uuidsOf(freed))
    for (const { block, images, added } of blocks) {
      const gone = [...images.keys()].filter(term => !images.get(term) && !added.has(term))
      if (gone.length > 0) send(writing.deleteBlocks, number, block, uuidsOf(gone))
    }
  }
  const replaced = documentsOf(collections, true)
  if (replaced) send(writing.replaceDocuments, ...replaced)
  const added = documentsOf(collections, false)
  if (added) send(writing.putDocuments, ...added)
  const uniques = uniquesOf(collections)
  if (uniques) send(writing.putUniques, ...uniques)
  const changed = blocksOf(collections, false)
  if (changed) send(writing.replaceBlocks, ...changed)
  const begun = blocksOf(collections, true)
  if (begun) send(writing.putBlocks, ...begun)
  send(
    writing.putCollections,
    collections.map(({ kind }) => numberOf(kind)),
    collections.map(({ counters }) => counters.nextOrdinal),
    collections.map(({ counters }) => counters.lastUs),
    collections.map(({ counters }) => counters.lastCreatedUs),
    collections.map(({ counters }) => counters.nextEdits),
  )
  return statements
}

/** Returns the values of a statement after the tenant; `undefined` where there is nothing to write. */
function documentsOf(collections: readonly CollectionChanges[], areStored: boolean): unknown[] | undefined {
  const packed = new Packed()
  const rows = collections.flatMap(({ kind, stored, documents }) =>
    [...documents]
      .filter(([id]) => stored.has(id) === areStored)
      .map(([id, { ordinal, version, createdUs, modifiedUs, dueMs, terms, uniques, box }]) => [
        ...[numberOf(kind), uuidOfDigest(id), ordinal, version, createdUs, modifiedUs ?? null, dueMs ?? null],
        ...[packed.at, packed.addDigests(terms), packed.addDigests(uniques), packed.add(box)],
      ]),
  )
  if (rows.length === 0) return undefined
  const columns = columnsOf(rows)
  return [...columns.slice(0, 7), packed.bytes(), ...columns.slice(7)]
}

function uniquesOf(collections: readonly CollectionChanges[]): unknown[] | undefined {
  const rows = collections.flatMap(({ kind, stored, documents }) =>
    moved(holdersIn(documents), holdersIn(stored)).map(pair => [numberOf(kind), ...uuidsOf(pair)]),
  )
  return rows.length === 0 ? undefined : columnsOf(rows)
}

type Holders = ReadonlyMap<Digest, Digest>

/** By unique, the document that has it. */
const holdersIn = (documents: ReadonlyMap<Digest, Header>): Holders =>
  new Map([...documents].flatMap(([id, { uniques }]) => uniques.map(unique => [unique, id] as const)))

/** The uniques of `holders` that have another holder in `others`, or none. */
const moved = (holders: Holders, others: Holders) =>
  [...holders].filter(([unique, id]) => others.get(unique) !== id)

function blocksOf(collections: readonly CollectionChanges[], areAdded: boolean): unknown[] | undefined {
  const packed = new Packed()
  const rows: unknown[][] = []
  for (const { kind, blocks } of collections) {
    for (const { block, images, added } of blocks) {
      for (const [term, image] of images) {
        if (image && added.has(term) === areAdded)
          rows.push(rowOf(numberOf(kind), term, block, image, packed))
      }
    }
  }
  if (rows.length === 0) return undefined
  const columns = columnsOf(rows)
  return [...columns.slice(0, 3), packed.bytes(), ...columns.slice(3)]
}

const rowOf = (kind: number, term: Digest, block: number, image: Block, packed: Packed) => [
  ...[kind, uuidOfDigest(term), block],
  ...[packed.at, packed.add(encodeBlock(image))],
]

const columnsOf = (rows: readonly (readonly unknown[])[]): unknown[][] =>
  Array.from(rows[0] ?? [], (_, column) => rows.map(row => row[column]))
