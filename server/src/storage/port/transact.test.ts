import t from 'tap'
import { openTestStore } from '../../../verify/support/storage.ts'
import { newMasterKey, sealedOn } from '../../../verify/support/stores.ts'
import { systemRandom } from '../../base/random.ts'
import type { RecordValue } from '../records/records.ts'
import { type Receipt, transact } from './transact.ts'

interface Counter extends RecordValue {
  readonly count: number
}

/** A counter, and a store that counts commits. */
async function open(tap: { teardown(task: () => unknown): void }) {
  const sealed = sealedOn(await openTestStore(tap), newMasterKey())
  const store = await sealed.createTenant(systemRandom().uuid(), 1)
  let commits = 0
  const context = {
    store: {
      commit: (...given: Parameters<typeof store.commit>) => {
        commits++
        return store.commit(...given)
      },
    },
    nowUs: () => 1000,
  }
  await store.commit([store.insert('setting', { id: 'counter', count: 0 } as Counter)], 1)
  const increment = (receipt?: Receipt, before: () => Promise<unknown> = async () => {}) =>
    transact(
      context.store,
      context,
      async attempt => {
        const current = await store.get<Counter>('setting', 'counter')
        if (!current) throw new Error('there is no counter')
        if (attempt === 0) await before()
        const write = store.replace('setting', current.version, {
          id: 'counter',
          count: current.value.count + 1,
        } as Counter)
        const recorded = { entity: String(current.value.count + 1) }
        return {
          writes: [write],
          recorded,
          result: written => ({ attempt, version: written(write).version }),
        }
      },
      receipt,
    )
  return { store, context, increment, commits: () => commits }
}

t.test('a transaction starts over where another writer came between', async t => {
  const { increment } = await open(t)
  t.same(await increment(), { attempt: 0, version: 2 })
  t.same(await increment(undefined, () => increment()), { attempt: 1, version: 4 })
  const all = await Promise.all(Array.from({ length: 10 }, () => increment()))
  t.same(all.map(({ version }) => version).sort(), [10, 11, 12, 13, 14, 5, 6, 7, 8, 9])
})

t.test('a receipt is in the same commit, and where it is there already nothing is done', async t => {
  const { store, increment } = await open(t)
  const receipt: Receipt = ({ entity = '' }) => [store.insert('idempotency', { id: `receipt ${entity}` })]
  await increment(receipt)
  t.ok(await store.get('idempotency', 'receipt 1'))
  const same: Receipt = () => [store.insert('idempotency', { id: 'receipt 1' })]
  await t.rejects(increment(same), { code: 'idempotency_conflict' })
  t.match(await store.get('setting', 'counter'), { value: { count: 1 } })
})

t.test('without anything to write nothing is committed, and a receipt alone is', async t => {
  const { store, context, commits } = await open(t)
  const attempt = async () => ({ writes: [], recorded: {}, result: () => 'done' })
  t.equal(await transact(context.store, context, attempt), 'done')
  t.equal(commits(), 0)
  t.equal(
    await transact(context.store, context, attempt, () => [store.insert('idempotency', { id: 'a' })]),
    'done',
  )
  t.equal(commits(), 1)
})

t.test('what a conflict is answered with ends the attempts', async t => {
  const { store, context } = await open(t)
  const attempt = async () => ({
    writes: [store.insert('setting', { id: 'counter' })],
    result: () => {},
    onConflict: ({ reason }: { reason: string }) => {
      throw new Error(`refused: ${reason}`)
    },
  })
  await t.rejects(transact(context.store, context, attempt), { message: 'refused: exists' })
})
