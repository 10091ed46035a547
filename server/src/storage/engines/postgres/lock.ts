import type { PoolClient } from 'pg'
import { machineMs } from '../../../base/time/real-time.ts'
import type { Heads } from '../../index/edits.ts'
import { type Collection, type CollectionName, collectionOf } from '../../port/collection.ts'
import type { CollectionState, DocumentHeader, Lookup } from '../../port/decide.ts'
import { type Digest, digestOfUuid, uuidOfDigest } from '../../port/port.ts'
import { sendTogether } from './connect.ts'
import { type Ask, groupBy, headerOf, kindOf, numberOf, Rows } from './rows.ts'
import { type Statement, writing } from './sql.ts'

export interface LockedCollection extends CollectionState, Collection {
  readonly name: CollectionName
}

export type Locked = ReadonlyMap<CollectionName, LockedCollection>

/** By tenant and kind: all transactions lock collections in this order, so that none can deadlock. */
function inLockOrder(lookups: Iterable<Lookup>): Lookup[] {
  return [...lookups].sort(
    (a, b) =>
      Number(a.tenant > b.tenant) - Number(a.tenant < b.tenant) || numberOf(a.kind) - numberOf(b.kind),
  )
}

/** Begins a transaction, locks the rows of collections, and reads what is asked about each. */
export async function lockAndRead(
  client: PoolClient,
  asked: Iterable<Lookup>,
  heads: Heads,
  ask: Ask,
  isCitus: boolean,
): Promise<Locked> {
  const lock = isCitus ? writing.lockOnCitus : writing.lock
  const lookups = inLockOrder(asked)
  const byTenant = groupBy(lookups, ({ tenant }) => tenant)
  const read = () =>
    Promise.all([...byTenant].map(([tenant, own]) => lockTenant(tenant, own, heads, ask, lock))).then(found =>
      found.flat(),
    )
  sendTogether(client)
  const beginning = client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  let [collections] = await Promise.all([read(), beginning])
  if (collections.length < lookups.length) {
    // A collection without a row could not be locked: add the row, and read again under its lock.
    // No collection that was there before, and was cleared, had this number of edits.
    const edits = Math.floor(machineMs() * 1000)
    await Promise.all(
      [...byTenant].map(([tenant, own]) =>
        ask(writing.addCollections, [tenant, own.map(numberOfKind), edits]),
      ),
    )
    collections = await read()
  }
  return new Map(collections.map(one => [one.name, one]))
}

const numberOfKind = ({ kind }: Lookup) => numberOf(kind)

/** What is stored of a collection. */
interface Answers {
  readonly documents: Map<Digest, DocumentHeader>
  readonly holders: Map<Digest, Digest>
  /** Documents that other processes have added. */
  readonly added: DocumentHeader[]
}

/** Reading what others have added takes longer than reading the blocks again if it is more. */
const mostAdded = 512

/** Locks the rows of a tenant's collections, and reads what is asked about each. Leaves out those without a row. */
async function lockTenant(
  tenant: string,
  lookups: readonly Lookup[],
  heads: Heads,
  ask: Ask,
  lock: Statement,
): Promise<LockedCollection[]> {
  const asked = new Map<number, Answers>(
    lookups.map(lookup => [numberOfKind(lookup), { documents: new Map(), holders: new Map(), added: [] }]),
  )
  const [unread, ids, uniques] = [new Rows(), new Rows(), new Rows()]
  for (const lookup of lookups) {
    const number = numberOfKind(lookup)
    const ordinal = heads.unread(collectionOf(lookup))
    if (ordinal !== undefined) unread.add(number, ordinal)
    for (const id of lookup.ids) ids.add(number, uuidOfDigest(id))
    for (const unique of lookup.uniques) uniques.add(number, uuidOfDigest(unique))
  }
  const askAbout = (statement: Statement, rows: Rows, ...limits: number[]) =>
    rows.count === 0 ? [] : ask(statement, [tenant, ...rows.values(), ...limits])
  const [locked, added, headers, holders] = await Promise.all([
    ask(lock, [tenant, lookups.map(numberOfKind)]),
    askAbout(writing.added, unread, mostAdded),
    askAbout(writing.headers, ids),
    askAbout(writing.holders, uniques),
  ])
  for (const [kind, ...row] of added) asked.get(Number(kind))?.added.push(headerOf(row)[1])
  for (const [kind, ...row] of headers) asked.get(Number(kind))?.documents.set(...headerOf(row))
  for (const [kind, value = '', holder = ''] of holders)
    asked.get(Number(kind))?.holders.set(digestOfUuid(value), digestOfUuid(holder))
  return locked.map(row => {
    const [number = 0, nextOrdinal = 0, lastUs = 0, lastCreatedUs = 0, state = 0] = row.map(Number)
    const kind = kindOf(number)
    const name = collectionOf({ kind, tenant })
    const counters = { nextOrdinal, lastUs, lastCreatedUs, fromOrdinal: nextOrdinal, state }
    const { documents, holders, added } = asked.get(number) as Answers
    if (added.length < mostAdded) heads.follow(name, added, counters)
    return { name, kind, tenant, counters, documents, holders }
  })
}
