import type { PoolClient } from 'pg'
import { groupBy } from '../../../base/group-by.ts'
import { decodeBlock } from '../../index/bits.ts'
import { type Heads, type Recalled, writeGroup } from '../../index/edits.ts'
import type { Commit } from '../../port/decide.ts'
import { type CommitResult, digestOfUuid, uuidOfDigest } from '../../port/port.ts'
import { sendTogether } from './connect.ts'
import { numberOf } from './kinds.ts'
import { type Locked, type LockedCollection, lockAndRead } from './lock.ts'
import { type Ask, askOf, bytesOf, Rows } from './rows.ts'
import { writing } from './sql.ts'
import { writeChanges } from './write-changes.ts'

/**
 * Does several commits in one transaction: locks the rows of their collections, reads what their conditions ask for,
 * decides them in process, and writes what they changed. Statements that do not depend on each other's results are sent
 * without waiting, so that most transactions take two round trips.
 */
export async function commitGroup(
  client: PoolClient,
  commits: readonly Commit[],
  heads: Heads,
): Promise<CommitResult[]> {
  const ask = askOf(client)
  try {
    return await writeGroup(commits, heads, {
      read: questions => lockAndRead(client, questions.values(), heads, ask),
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
