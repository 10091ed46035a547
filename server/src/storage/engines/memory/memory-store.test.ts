import t from 'tap'
import { runStoreCases } from '../../port/port.cases.ts'
import { MemoryStore } from './memory-store.ts'

t.test('the memory engine passes the cases of the port', async t => {
  runStoreCases(t, async () => new MemoryStore(), { takesSnapshots: true })
})
