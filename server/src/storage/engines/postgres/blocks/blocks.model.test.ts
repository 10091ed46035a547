import t from 'tap'
import { openSchema, withPostgres } from '../../../../../verify/support/postgres.ts'
import { createLog } from '../../../../base/log.ts'
import { runStoreModel } from '../../../port/port.model.ts'
import { MemoryStore } from '../../memory/memory-store.ts'
import { PostgresStore } from '../postgres-store.ts'
import { TwoProcesses } from '../two-processes.samples.ts'
import type { FoldLimits } from './fold-limits.ts'

/** Folds as often as possible, a few documents at a time, so that histories meet each step in each state. */
const folding: FoldLimits = {
  blockDocuments: 3,
  leastDocuments: 1,
  commonFrom: 1,
  mostTerms: 4,
  leastTotal: 0,
  againAfterMs: 0,
  quietMs: 0,
  rememberMs: 0,
}

t.test('random histories have the same results while collections are being folded', withPostgres, async t => {
  const schema = await openSchema(t)
  const failures: string[] = []
  const log = createLog(line => failures.push(line))
  let opened = 0
  const openAt = async () => {
    const open = () => PostgresStore.open(schema, { migrate: true, folding, log })
    return opened++ % 2 === 0 ? open() : new TwoProcesses(await open(), await open())
  }
  await runStoreModel(t, {
    openModel: async () => new MemoryStore(),
    open: async () => {
      const store = await openAt()
      await store.clear()
      return store
    },
    reopen: async store => {
      await store.close()
      return openAt()
    },
    oneByOne: store => store instanceof TwoProcesses,
    runs: Number(process.env.SURROGATE_FOLD_RUNS ?? 5),
  })
  t.same(failures, [])
})
