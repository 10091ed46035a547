import type { PoolClient } from 'pg'
import { decodeBlock, encodeBlock } from '../../index/bits.ts'
import { type Heads, type NewBlocks, type Recalled, writeGroup } from '../../index/edits.ts'
import type { Change, Commit, DocumentHeader } from '../../port/decide.ts'
import { type CommitResult, type Digest, digestOfUuid, uuidOfDigest } from '../../port/port.ts'
import { sendTogether } from './connect.ts'
import { type Locked, type LockedCollection, lockAndRead } from './lock.ts'
import { type Ask, askOf, bytesOf, groupBy, numberOf, PackedRows, Rows, uuidsOf } from './rows.ts'
import { type Statement, writing } from './sql.ts'

/**
 * Does several commits in one transaction: locks the rows of their collections, reads what their conditions ask for,
 * decides them in process, and writes what they changed. Statements that do not depend on each other's results are sent
 * without waiting, so that most transactions take two round trips.
 */
export async function commitGroup(
  client: PoolClient,
  commits: readonly Commit[],
  heads: Heads,
  isCitus: boolean,
): Promise<CommitResult[]> {
  const ask = askOf(client)
  try {
    return await writeGroup(commits, heads, {
      read: lookups => lockAndRead(client, lookups.values(), heads, ask, isCitus),
      readBlocks: (recalled, collections) => readBlocks(recalled, collections, ask),
      write: async (changes, blocks, collections) => {
        sendTogether(client)
        const writes = writeChanges(changes, blocks, collections, ask)
        const ending = client.query('COMMIT')
        await Promise.all([...writes, ending])
        // After a failed statement the database ends the transaction with a rollback, and says so.
        const { command } = await ending
        if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
      },
    })
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function readBlocks(recalled: readonly Recalled[], collections: Locked, ask: Ask): Promise<void> {
  const found = recalled.map(one => ({
    ...one,
    ...(collections.get(one.edit.collection) as LockedCollection),
  }))
  const reading = [...groupBy(found, ({ tenant }) => tenant)].map(async ([tenant, own]) => {
    const wanted = new Rows()
    for (const { kind, edit, missing } of own)
      for (const term of missing) wanted.add(numberOf(kind), uuidOfDigest(term), edit.block)
    const places = new Map(own.map(({ kind, edit, known }) => [`${numberOf(kind)} ${edit.block}`, known]))
    for (const [kind, block, term = '', bits = ''] of await ask(writing.someBlocks, [
      tenant,
      ...wanted.values(),
    ]))
      places.get(`${kind} ${block}`)?.set(digestOfUuid(term), decodeBlock(bytesOf(bits)))
  })
  await Promise.all(reading)
}

interface Written extends DocumentHeader {
  readonly box: Uint8Array
}

/** The changes of a group to one collection. */
interface CollectionChanges extends LockedCollection {
  /** Stored documents that were removed or replaced, as they are stored. */
  readonly stored: Map<Digest, DocumentHeader>
  /** New and replaced documents, as the group leaves them. */
  readonly documents: Map<Digest, Written>
  readonly blocks: readonly NewBlocks[]
}

/** Sends all that a group of commits writes. */
function writeChanges(
  changes: readonly Change[],
  blocks: readonly NewBlocks[],
  collections: Locked,
  ask: Ask,
): Promise<unknown>[] {
  const all = [...groupBy(changes, ({ collection }) => collection)].map(([name, own]) => ({
    ...(collections.get(name) as LockedCollection),
    ...netOf(own),
    blocks: blocks.filter(({ collection }) => collection === name),
  }))
  const tenants = groupBy(all, ({ tenant }) => tenant)
  return [...tenants].flatMap(([tenant, own]) => writeTenant(tenant, own, ask))
}

function netOf(changes: readonly Change[]): Pick<CollectionChanges, 'stored' | 'documents'> {
  const stored = new Map<Digest, DocumentHeader>()
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
  const sent: Promise<unknown>[] = []
  const send = (statement: Statement, values: readonly unknown[]) => {
    sent.push(ask(statement, [tenant, ...values]))
  }
  const [replaced, added] = [new PackedRows(), new PackedRows()]
  const [changed, begun] = [new PackedRows(), new PackedRows()]
  const [uniques, counted] = [new Rows(), new Rows()]
  for (const { kind, stored, documents, blocks, counters } of collections) {
    const number = numberOf(kind)
    const removed = [...stored.keys()].filter(id => !documents.has(id))
    const freed = moved(holdersIn(stored), holdersIn(documents)).map(([unique]) => unique)
    if (removed.length > 0) send(writing.deleteDocuments, [number, uuidsOf(removed)])
    if (freed.length > 0) send(writing.deleteUniques, [number, uuidsOf(freed)])
    for (const [id, document] of documents) {
      const { ordinal, version, createdUs, modifiedUs = null, dueMs = null, terms, box } = document
      const rows = stored.has(id) ? replaced : added
      const { at } = rows
      const lengths = [rows.packDigests(terms), rows.packDigests(document.uniques), rows.pack(box)]
      rows.add(number, uuidOfDigest(id), ordinal, version, createdUs, modifiedUs, dueMs, at, ...lengths)
    }
    for (const pair of moved(holdersIn(documents), holdersIn(stored))) uniques.add(number, ...uuidsOf(pair))
    for (const { block, images, added } of blocks) {
      const gone = [...images.keys()].filter(term => !images.get(term) && !added.has(term))
      if (gone.length > 0) send(writing.deleteBlocks, [number, block, uuidsOf(gone)])
      for (const [term, image] of images) {
        if (!image) continue
        const rows = added.has(term) ? begun : changed
        rows.add(number, uuidOfDigest(term), block, rows.at, rows.pack(encodeBlock(image)))
      }
    }
    const { nextOrdinal, lastUs, lastCreatedUs, state } = counters
    counted.add(number, nextOrdinal, lastUs, lastCreatedUs, state)
  }
  const filled: readonly (readonly [Statement, Rows])[] = [
    [writing.replaceDocuments, replaced],
    [writing.putDocuments, added],
    [writing.putUniques, uniques],
    [writing.replaceBlocks, changed],
    [writing.putBlocks, begun],
    [writing.putCollections, counted],
  ]
  for (const [statement, rows] of filled) if (rows.count > 0) send(statement, rows.values())
  return sent
}

type Holders = ReadonlyMap<Digest, Digest>

/** By unique, the document that has it. */
const holdersIn = (documents: ReadonlyMap<Digest, DocumentHeader>): Holders =>
  new Map([...documents].flatMap(([id, { uniques }]) => uniques.map(unique => [unique, id] as const)))

/** The uniques of `holders` that have another holder in `others`, or none. */
const moved = (holders: Holders, others: Holders) =>
  [...holders].filter(([unique, id]) => others.get(unique) !== id)
