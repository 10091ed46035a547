import type { PoolClient } from 'pg'
import {
  type Change,
  type Collection,
  type ContentWrite,
  Decisions,
  type DocumentState,
  type Question,
  questionsOf,
  type Stamps,
} from '../../port/decide.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  digestOfUuid,
  uuidOfDigest,
  type Write,
  type Written,
} from '../../port/port.ts'

import { staleWeight } from './blocks/fold-limits.ts'
import type { Folder } from './blocks/folder.ts'
import { kindOf, numberOf } from './kinds.ts'
import { digestsOf, rowsOf, uuidArrayOf } from './rows.ts'
import * as sql from './sql.ts'

export interface PendingCommit {
  readonly writes: readonly Write[]
  readonly nowUs: number
}

type Rows = readonly (readonly string[])[]

type Run = (statement: sql.Statement, values: unknown[]) => Promise<Rows>
type Stored = DocumentState & Written

/** The row of a collection. Decisions change its stamps. */
interface LockedRow extends Stamps {
  /** The stamp up to which documents are in blocks; -1 if there are none. */
  readonly foldedUs: number
  readonly unfolded: number
  readonly documents: number
}

type RowNumbers = [
  kind: number,
  lastUs: number,
  lastCreatedUs: number,
  foldedUs: number,
  unfolded: number,
  documents: number,
]

interface LockedCollection extends Collection<Stored> {
  readonly stamps: LockedRow
}

/**
 * Does several commits in one transaction: locks the rows of their collections, reads what their conditions ask
 * for, decides them in process and writes what they changed. Statements that do not depend on each other's results
 * are sent without waiting, so that a transaction takes two round trips.
 */
export async function commitGroup(
  client: PoolClient,
  commits: readonly PendingCommit[],
  folder?: Folder,
): Promise<CommitResult[]> {
  const named = commits.map(({ writes, nowUs }) => ({
    writes: writes.map(write => ({ write, collection: nameOf(write.kind, write.tenant) })),
    nowUs,
  }))
  const questions = inLockOrder(questionsOf(named.map(({ writes }) => writes)).values())
  const run: Run = async (statement, values) => (await client.query(rowsOf(statement, values))).rows
  try {
    const collections = await read(client, questions, run)
    const decisions = new Decisions<Stored, string>(collections, ({ uniques }, written) => ({
      uniques,
      ...written,
    }))
    const results = named.map(({ writes, nowUs }) => decisions.decide(writes, nowUs))
    const changed = [...changesByCollection(decisions.changes)]
    const writing = changed.flatMap(([name, changes]) => write(changes, collections.get(name)?.stamps, run))
    const ending = client.query('COMMIT')
    await Promise.all([...writing, ending])
    // After a failed statement the database ends the transaction with a rollback, and says so.
    const { command } = await ending
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
    for (const [name, { kind, tenant }] of changed) {
      const before = collections.get(name)?.stamps
      if (before) folder?.written(kind, tenant, before.documents, before.unfolded)
    }
    return results
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

const nameOf = (kind: DocumentKind, tenant: string) => `${tenant} ${kind}`

/** By tenant and kind: all transactions lock collections in this order, so that none can deadlock. */
function inLockOrder(questions: Iterable<Question>): Question[] {
  return [...questions].sort(
    (a, b) =>
      Number(a.tenant > b.tenant) - Number(a.tenant < b.tenant) || numberOf(a.kind) - numberOf(b.kind),
  )
}

async function read(
  client: PoolClient,
  questions: readonly Question[],
  run: Run,
): Promise<Map<string, LockedCollection>> {
  const tenants = [...new Set(questions.map(({ tenant }) => tenant))]
  const kinds = (tenant: string) =>
    questions.filter(question => question.tenant === tenant).map(({ kind }) => numberOf(kind))
  const readLocked = async () => {
    const locking = tenants.map(tenant => run(sql.lockCollections, [tenant, kinds(tenant)]))
    const asking = questions.map(question => ask(question, run))
    const [locked, answers] = await Promise.all([Promise.all(locking), Promise.all(asking)])
    const stamps = new Map<string, LockedRow>()
    for (const [at, rows] of locked.entries()) {
      for (const row of rows) {
        const [kind, lastUs, lastCreatedUs, foldedUs, unfolded, documents] = row.map(Number) as RowNumbers
        const name = nameOf(kindOf(kind), tenants[at] ?? '')
        stamps.set(name, { lastUs, lastCreatedUs, foldedUs, unfolded, documents })
      }
    }
    return { stamps, answers }
  }
  const beginning = client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  let [{ stamps, answers }] = await Promise.all([readLocked(), beginning])
  if (stamps.size < questions.length) {
    // A collection without a row could not be locked: add the row, and read again under its lock.
    await Promise.all(tenants.map(tenant => run(sql.addCollections, [tenant, kinds(tenant)])))
    ;({ stamps, answers } = await readLocked())
  }
  const collections = new Map<string, LockedCollection>()
  for (const [at, { kind, tenant }] of questions.entries()) {
    const name = nameOf(kind, tenant)
    const [known, answer] = [stamps.get(name), answers[at]]
    if (!known || !answer) throw new Error('a collection was added and is not there')
    collections.set(name, { ...answer, stamps: known })
  }
  return collections
}

async function ask({ kind, tenant, ids, uniques }: Question, run: Run) {
  const place = [tenant, numberOf(kind)]
  const none: Promise<Rows> = Promise.resolve([])
  const [documentRows, holderRows] = await Promise.all([
    ids.size === 0 ? none : run(sql.readHeaders, [...place, uuidArrayOf([...ids])]),
    uniques.size === 0 ? none : run(sql.readHolders, [...place, uuidArrayOf([...uniques])]),
  ])
  const documents = new Map<Digest, Stored>()
  for (const [id = '', version, createdUs, own = '{}'] of documentRows) {
    const written = { version: Number(version), createdUs: Number(createdUs) }
    documents.set(digestOfUuid(id), { ...written, uniques: digestsOf(own) })
  }
  const holders = new Map<Digest, Digest>()
  for (const [value = '', holder = ''] of holderRows) holders.set(digestOfUuid(value), digestOfUuid(holder))
  return { documents, holders }
}

function write(
  { kind, tenant, stored, documents }: CollectionChanges,
  row: LockedRow | undefined,
  run: Run,
): Promise<unknown>[] {
  const number = numberOf(kind)
  const statements: Promise<unknown>[] = []
  const remove = (statement: sql.Statement, digests: readonly Digest[]) => {
    if (digests.length > 0) statements.push(run(statement, [tenant, number, uuidArrayOf(digests)]))
  }
  const insert = (shapes: ReadonlyMap<number, sql.Statement>, rows: readonly (readonly unknown[])[]) => {
    for (const part of sql.cut(rows)) {
      const shape = shapes.get(part.length)
      if (shape) statements.push(run(shape, [tenant, ...part.flat()]))
    }
  }
  const stale = [...stored]
    .filter(([, { createdUs }]) => createdUs <= (row?.foldedUs ?? -1))
    .map(([id]) => id)
  remove(sql.keepStale, stale)
  const freed = [...stored.values()].flatMap(({ uniques }) => uniques)
  remove(sql.deleteDocuments, [...stored.keys()])
  remove(sql.deleteUniques, freed)
  const holders = new Map<Digest, Digest>()
  const rows: unknown[][] = []
  for (const document of documents.values()) {
    const { id, version, createdUs, modifiedUs, dueMs, terms, uniques } = document
    for (const unique of uniques) holders.set(unique, id)
    const times = [createdUs, modifiedUs ?? null, dueMs ?? null]
    const box = document.seal(document)
    const bytes = Buffer.from(box.buffer, box.byteOffset, box.byteLength)
    rows.push([number, uuidOfDigest(id), version, ...times, uuidArrayOf(terms), uuidArrayOf(uniques), bytes])
  }
  insert(sql.insertDocuments, rows)
  insert(
    sql.insertUniques,
    [...holders].map(([unique, holder]) => [number, uuidOfDigest(unique), uuidOfDigest(holder)]),
  )
  const grown = documents.size - stored.size
  const unfolded = Math.max(grown, 0) + stale.length * staleWeight
  const place = [tenant, number, row?.lastUs, row?.lastCreatedUs]
  statements.push(run(sql.changeCollection, [...place, grown, unfolded]))
  return statements
}

type NewDocument = Omit<ContentWrite, 'type' | keyof Written> & Written

/** The changes of a group to one collection, as rows to delete and rows to insert. */
interface CollectionChanges {
  readonly kind: DocumentKind
  readonly tenant: string
  /** Stored documents that were removed or replaced, in the state they are stored in. */
  readonly stored: Map<Digest, DocumentState>
  /** New and replaced documents, in the state the group leaves them in. */
  readonly documents: Map<Digest, NewDocument>
}

function changesByCollection<Name extends string>(
  changes: readonly Change<DocumentState & Written, Name>[],
): ReadonlyMap<Name, CollectionChanges> {
  const all = new Map<Name, CollectionChanges>()
  const seen = new Set<string>()
  for (const { collection, write, before, after } of changes) {
    const { kind, tenant, id } = write
    const own = all.get(collection) ?? { kind, tenant, stored: new Map(), documents: new Map() }
    all.set(collection, own)
    // Only the state before the group's first change is in the database.
    if (before && !seen.has(collection + id)) own.stored.set(id, before)
    seen.add(collection + id)
    if (after && 'seal' in write) own.documents.set(id, { ...write, ...after })
    else own.documents.delete(id)
  }
  return all
}
