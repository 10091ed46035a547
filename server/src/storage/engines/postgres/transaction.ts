import type { PoolClient, QueryResult } from 'pg'
import type { CommitResult, Digest, DocumentKind, Write } from '../../port.ts'
import { type CollectionChanges, collectionName, Decisions, type Header, type Stamps } from './decide.ts'
import { kindOf, numberOf } from './kinds.ts'
import { digestOf, digestsOf, uuidArrayOf, uuidOf } from './rows.ts'
import * as sql from './sql.ts'

/** A commit as it waits for its turn. */
export interface PendingCommit {
  readonly writes: readonly Write[]
  readonly nowUs: number
}

/** All that is asked of one collection by a group of commits. */
interface Question {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly ids: Set<Digest>
  readonly uniques: Set<Digest>
}

type Rows = readonly (readonly string[])[]

/**
 * Does several commits in one transaction: takes the rows of their collections, reads what their conditions
 * ask for, decides them in process and writes what they changed. What needs no answer of what comes before it
 * is sent without waiting: two round trips in all.
 */
export async function commitGroup(
  client: PoolClient,
  commits: readonly PendingCommit[],
): Promise<CommitResult[]> {
  const questions = questionsOf(commits)
  const run = (statement: sql.Statement, values: unknown[]) => query(client, statement, values)
  try {
    const decisions = await read(client, questions, run)
    const results = commits.map(commit => decisions.decide(commit.writes, commit.nowUs))
    const writing = decisions.changes().flatMap(changes => write(changes, run))
    const ending = client.query('COMMIT')
    await Promise.all([...writing, ending])
    // A statement that fails makes the database end a transaction with a rollback, and say so.
    const { command } = await ending
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
    return results
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function questionsOf(commits: readonly PendingCommit[]): Question[] {
  const questions = new Map<string, Question>()
  for (const write of commits.flatMap(commit => commit.writes)) {
    const { kind, tenant } = write
    const name = collectionName(kind, tenant)
    let question = questions.get(name)
    if (!question) {
      question = { kind, tenant, ids: new Set(), uniques: new Set() }
      questions.set(name, question)
    }
    // Nothing can stand at a fresh address: looking there would be in vain.
    if (!(write.type === 'insert' && write.fresh)) question.ids.add(write.id)
    if ('uniques' in write) for (const unique of write.uniques) question.uniques.add(unique)
  }
  return [...questions.values()].sort(
    (a, b) =>
      Number(a.tenant > b.tenant) - Number(a.tenant < b.tenant) || numberOf(a.kind) - numberOf(b.kind),
  )
}

type Run = (statement: sql.Statement, values: unknown[]) => Promise<Rows>

async function read(client: PoolClient, questions: readonly Question[], run: Run): Promise<Decisions> {
  const tenants = [...new Set(questions.map(({ tenant }) => tenant))]
  const kinds = (tenant: string) =>
    questions.filter(question => question.tenant === tenant).map(({ kind }) => numberOf(kind))
  const beginning = client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  // In the order of tenants and kinds, as everyone does: what one waits for, the other has already.
  const lock = () => tenants.map(tenant => run(sql.lockCollections, [tenant, kinds(tenant)]))
  const reading = async () => {
    const locking = lock()
    const asking = questions.map(question => ask(question, run))
    const [locked, answers] = await Promise.all([Promise.all(locking), Promise.all(asking)])
    const stamps = new Map<string, Stamps>()
    for (const [at, rows] of locked.entries()) {
      for (const [kind, lastUs, lastCreatedUs] of rows) {
        const name = collectionName(kindOf(Number(kind)), tenants[at] ?? '')
        stamps.set(name, { lastUs: Number(lastUs), lastCreatedUs: Number(lastCreatedUs) })
      }
    }
    return { stamps, answers }
  }
  const [first] = await Promise.all([reading(), beginning])
  let { stamps, answers } = first
  if (stamps.size < questions.length) {
    // A collection nobody has written to yet. What was read of it was read without its lock, so once more.
    await Promise.all(tenants.map(tenant => run(sql.addCollections, [tenant, kinds(tenant)])))
    ;({ stamps, answers } = await reading())
  }
  const decisions = new Decisions()
  for (const [at, { kind, tenant }] of questions.entries()) {
    const { headers, holders } = answers[at] ?? { headers: new Map(), holders: new Map() }
    const known = stamps.get(collectionName(kind, tenant))
    if (!known) throw new Error('a collection was added and is not there')
    decisions.learn(kind, tenant, { ...known, headers, holders })
  }
  return decisions
}

async function ask({ kind, tenant, ids, uniques }: Question, run: Run) {
  const place = [tenant, numberOf(kind)]
  const none: Promise<Rows> = Promise.resolve([])
  const [headerRows, holderRows] = await Promise.all([
    ids.size === 0 ? none : run(sql.readHeaders, [...place, uuidArrayOf([...ids])]),
    uniques.size === 0 ? none : run(sql.readHolders, [...place, uuidArrayOf([...uniques])]),
  ])
  const headers = new Map<Digest, Header>()
  for (const [id = '', version, createdUs, own = '{}'] of headerRows) {
    headers.set(digestOf(id), {
      version: Number(version),
      createdUs: Number(createdUs),
      uniques: digestsOf(own),
    })
  }
  const holders = new Map(
    holderRows.map(([value = '', holder = '']) => [digestOf(value), digestOf(holder)] as const),
  )
  // What a document that is there holds may be given up by it, though no write names it.
  for (const [id, header] of headers) for (const unique of header.uniques) holders.set(unique, id)
  return { headers, holders }
}

function write(changes: CollectionChanges, run: Run): Promise<unknown>[] {
  const { tenant, stamps, grown, removed, documents, freed, held } = changes
  const kind = numberOf(changes.kind)
  const statements: Promise<unknown>[] = []
  if (removed.length > 0) statements.push(run(sql.deleteDocuments, [tenant, kind, uuidArrayOf(removed)]))
  if (freed.length > 0) statements.push(run(sql.deleteUniques, [tenant, kind, uuidArrayOf(freed)]))
  const insert = (shapes: ReadonlyMap<number, sql.Statement>, rows: readonly (readonly unknown[])[]) => {
    for (const part of sql.cut(rows)) {
      const shape = shapes.get(part.length)
      if (shape) statements.push(run(shape, [tenant, ...part.flat()]))
    }
  }
  insert(
    sql.insertDocuments,
    documents.map(({ id, version, createdUs, modifiedUs, dueMs, terms, uniques, box }) => [
      kind,
      uuidOf(id),
      version,
      createdUs,
      modifiedUs ?? null,
      dueMs ?? null,
      uuidArrayOf(terms),
      uuidArrayOf(uniques),
      Buffer.from(box.buffer, box.byteOffset, box.byteLength),
    ]),
  )
  insert(
    sql.insertUniques,
    held.map(([unique, holder]) => [kind, uuidOf(unique), uuidOf(holder)]),
  )
  if (stamps) {
    const { lastUs, lastCreatedUs } = stamps
    statements.push(run(sql.changeCollection, [tenant, kind, lastUs, lastCreatedUs, grown]))
  }
  return statements
}

async function query(client: PoolClient, { name, text }: sql.Statement, values: unknown[]): Promise<Rows> {
  const result: QueryResult = await client.query({
    ...(name === undefined ? {} : { name }),
    text,
    values,
    rowMode: 'array',
    types: asSpelled,
  })
  return result.rows as unknown as Rows
}

/** Values as the database spells them: what we make of them is said in rows.ts. */
export const asSpelled = { getTypeParser: () => (value: string) => value }
