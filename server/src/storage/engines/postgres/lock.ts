import type { PoolClient } from 'pg'
import { groupBy } from '../../../base/group-by.ts'
import { machineMs } from '../../../base/time/real-time.ts'
import type { Change, Collection, Question, Stamps } from '../../port/decide.ts'
import { type Digest, type DocumentKind, digestOfUuid } from '../../port/port.ts'
import { sendTogether } from './connect.ts'
import { kindOf, numberOf } from './kinds.ts'
import { type Ask, type Header, headerOf, uuidsOf } from './rows.ts'
import { writing } from './sql.ts'

/** A kind and a tenant, as a text. */
export type CollectionName = string & { readonly collectionName: unique symbol }

/** The row of a collection. Decisions change its stamps. */
export interface LockedStamps extends Stamps {
  nextOrdinal: number
  /** The first ordinal that the transaction can give. */
  readonly fromOrdinal: number
  /** Counts the transactions that changed the collection. */
  readonly commits: number
}

export interface LockedCollection extends Collection<Header> {
  readonly name: CollectionName
  readonly kind: DocumentKind
  readonly tenant: string
  readonly stamps: LockedStamps
}

export type LockedChange = Change<Header, CollectionName>
export type Locked = ReadonlyMap<CollectionName, LockedCollection>

export const nameOf = (kind: DocumentKind, tenant: string) => `${tenant} ${kind}` as CollectionName

/** By tenant and kind: all transactions lock collections in this order, so that none can deadlock. */
function inLockOrder(questions: Iterable<Question>): Question[] {
  return [...questions].sort(
    (a, b) =>
      Number(a.tenant > b.tenant) - Number(a.tenant < b.tenant) || numberOf(a.kind) - numberOf(b.kind),
  )
}

/** Begins a transaction, locks the rows of collections, and reads what is asked about each. */
export async function lockAndRead(client: PoolClient, asked: Iterable<Question>, ask: Ask): Promise<Locked> {
  const questions = inLockOrder(asked)
  const byTenant = groupBy(questions, ({ tenant }) => tenant)
  const read = () =>
    Promise.all([...byTenant].map(([tenant, own]) => lockTenant(tenant, own, ask))).then(found =>
      found.flat(),
    )
  sendTogether(client)
  const beginning = client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  let [collections] = await Promise.all([read(), beginning])
  if (collections.length < questions.length) {
    // A collection without a row could not be locked: add the row, and read again under its lock.
    // No collection that was there before, and was cleared, had this number of commits.
    const commits = Math.floor(machineMs() * 1000)
    await Promise.all(
      [...byTenant].map(([tenant, own]) =>
        ask(writing.addCollections, [tenant, own.map(numberOfKind), commits]),
      ),
    )
    collections = await read()
  }
  return new Map(collections.map(one => [one.name, one]))
}

const numberOfKind = ({ kind }: Question) => numberOf(kind)

/** Locks the rows of a tenant's collections, and reads what is asked about each. Leaves out those without a row. */
async function lockTenant(
  tenant: string,
  questions: readonly Question[],
  ask: Ask,
): Promise<LockedCollection[]> {
  const asked = new Map<number, { documents: Map<Digest, Header>; holders: Map<Digest, Digest> }>(
    questions.map(question => [numberOfKind(question), { documents: new Map(), holders: new Map() }]),
  )
  /** Kinds and digests, one of each for each question. */
  const about = (part: 'ids' | 'uniques') =>
    [
      tenant,
      questions.flatMap(question => Array.from(question[part], () => numberOfKind(question))),
      questions.flatMap(question => uuidsOf(question[part])),
    ] as const
  const [ids, uniques] = [about('ids'), about('uniques')]
  const [locked, headers, holders] = await Promise.all([
    ask(writing.lock, [tenant, questions.map(numberOfKind)]),
    ids[2].length === 0 ? [] : ask(writing.headers, [...ids]),
    uniques[2].length === 0 ? [] : ask(writing.holders, [...uniques]),
  ])
  for (const [kind, ...row] of headers) asked.get(Number(kind))?.documents.set(...headerOf(row))
  for (const [kind, value = '', holder = ''] of holders)
    asked.get(Number(kind))?.holders.set(digestOfUuid(value), digestOfUuid(holder))
  return locked.map(row => {
    const [number = 0, nextOrdinal = 0, lastUs = 0, lastCreatedUs = 0, commits = 0] = row.map(Number)
    const kind = kindOf(number)
    const stamps = { nextOrdinal, fromOrdinal: nextOrdinal, lastUs, lastCreatedUs, commits }
    const { documents, holders } = asked.get(number) ?? { documents: new Map(), holders: new Map() }
    return { name: nameOf(kind, tenant), kind, tenant, stamps, documents, holders }
  })
}
