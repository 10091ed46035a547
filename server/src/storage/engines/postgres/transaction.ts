import type { PoolClient } from 'pg'
import { groupBy } from '../../../base/group-by.ts'
import { type Block, decodeBlock } from '../../index/bits.ts'
import { editsOf, type Heads, imagesOf, type NewBlocks } from '../../index/edits.ts'
import { Decisions, type NamedWrite, questionsOf } from '../../port/decide.ts'
import { type CommitResult, type Digest, digestOfUuid, type Write } from '../../port/port.ts'
import { sendTogether } from './connect.ts'
import { numberOf } from './kinds.ts'
import {
  type CollectionName,
  type Locked,
  type LockedChange,
  type LockedCollection,
  lockAndRead,
  nameOf,
  progressOf,
} from './lock.ts'
import { type Ask, askOf, bytesOf, type Header, uuidsOf } from './rows.ts'
import { writing } from './sql.ts'
import { writeChanges } from './write-changes.ts'

export interface PendingCommit {
  readonly writes: readonly Write[]
  readonly nowUs: number
}

/**
 * Does several commits in one transaction: locks the rows of their collections, reads what their conditions ask for,
 * decides them in process, and writes what they changed. Statements that do not depend on each other's results are sent
 * without waiting, so that most transactions take two round trips.
 */
export async function commitGroup(
  client: PoolClient,
  commits: readonly PendingCommit[],
  heads: Heads<CollectionName>,
): Promise<CommitResult[]> {
  const ask = askOf(client)
  const named = commits.map(({ writes, nowUs }) => ({
    writes: writes.map(
      (write): NamedWrite<CollectionName> => ({ write, collection: nameOf(write.kind, write.tenant) }),
    ),
    nowUs,
  }))
  try {
    const questions = questionsOf(named.map(({ writes }) => writes))
    const collections = await lockAndRead(client, questions.values(), heads, ask)
    const decisions = new Decisions<Header, CollectionName>(
      collections,
      ({ terms, uniques, dueMs }, written) => ({
        ordinal: -1,
        ...written,
        ...{ terms, uniques },
        ...(dueMs === undefined ? {} : { dueMs }),
      }),
    )
    const results = named.map(({ writes, nowUs }) => decisions.decide(writes, nowUs))
    const { changes } = decisions
    giveOrdinals(changes, collections)
    const blocks = await changedBlocks(changes, collections, heads, ask)
    sendTogether(client)
    const writes = writeChanges(changes, blocks, collections, ask)
    const ending = client.query('COMMIT')
    await Promise.all([...writes, ending])
    // After a failed statement the database ends the transaction with a rollback, and says so.
    const { command } = await ending
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`)
    for (const name of new Set(changes.map(({ collection }) => collection))) {
      const { stamps } = collections.get(name) as LockedCollection
      heads.keep(name, blocks, progressOf(stamps), stamps.nextEdits)
    }
    return results
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function giveOrdinals(changes: readonly LockedChange[], collections: Locked): void {
  for (const { collection, before, after } of changes) {
    const { stamps } = collections.get(collection) as LockedCollection
    if (after) after.ordinal = before?.ordinal ?? stamps.nextOrdinal++
    if (before && before.ordinal < stamps.fromOrdinal) stamps.nextEdits = stamps.edits + 1
  }
}

/** Returns the blocks as they become. Reads those that are not in memory. */
async function changedBlocks(
  changes: readonly LockedChange[],
  collections: Locked,
  heads: Heads<CollectionName>,
  ask: Ask,
): Promise<NewBlocks<CollectionName>[]> {
  const recalled = editsOf(changes).map(edit => {
    const { kind, tenant, stamps } = collections.get(edit.collection) as LockedCollection
    const { known, missing } = heads.recall(edit, progressOf(stamps))
    return { edit, tenant, number: numberOf(kind), known: new Map<Digest, Block>(known), missing }
  })
  const reading = [...groupBy(recalled, ({ tenant }) => tenant)].map(async ([tenant, own]) => {
    const columns = [
      own.flatMap(({ number, missing }) => missing.map(() => number)),
      own.flatMap(({ missing }) => uuidsOf(missing)),
      own.flatMap(({ edit, missing }) => missing.map(() => edit.block)),
    ]
    if (columns[0]?.length === 0) return
    const places = new Map(own.map(({ number, edit, known }) => [`${number} ${edit.block}`, known]))
    for (const [kind, block, term = '', bits = ''] of await ask(writing.someBlocks, [tenant, ...columns]))
      places.get(`${kind} ${block}`)?.set(digestOfUuid(term), decodeBlock(bytesOf(bits)))
  })
  await Promise.all(reading)
  return recalled.map(({ edit, known }) => imagesOf(edit, known))
}
