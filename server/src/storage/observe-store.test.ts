import t from 'tap'
import { replacing } from '../../verify/support/stores.ts'
import type { Observer } from '../base/observer.ts'
import { LevelStore } from './engines/level/level-store.ts'
import { MemoryStore } from './engines/memory/memory-store.ts'
import { observeStore } from './observe-store.ts'
import { runStoreCases } from './port/port.cases.ts'

const observer: Observer = {
  request: () => ({ perform: (_operation, _caller, perform) => perform(), end: () => {} }),
  run: (_work, perform) => perform(),
  count: () => {},
}

t.test('an observed memory store passes the cases of the port', async t => {
  runStoreCases(t, async () => observeStore(new MemoryStore(), observer), { takesSnapshots: true })
})

t.test('an observed LevelDB store passes the cases of the port', async t => {
  const folder = t.testdir()
  let count = 0
  const open = async () => observeStore(await LevelStore.open(`${folder}/${count++}`), observer)
  runStoreCases(t, open, { keepsRecent: true })
})

t.test('an observed store has the time of the store', async t => {
  t.equal(observeStore(replacing(new MemoryStore(), { now: () => 5 }), observer).now?.(), 5)
})
