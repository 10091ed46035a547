import t, { type Test } from 'tap'
import { openSchema, otherEntry, withPostgres } from '../../../verify/support/postgres.ts'
import { replacing } from '../../../verify/support/stores.ts'
import type { Observer } from '../../base/observer.ts'
import { observeEngine } from '../observe-engine.ts'
import { runStoreCases } from '../port/port.cases.ts'
import { runStoreModel } from '../port/port.model.ts'
import type { OpenEngine } from '../port/port.ts'
import { LevelEngine } from './level/level-engine.ts'
import { MemoryEngine } from './memory/memory-engine.ts'
import { PostgresEngine } from './postgres/postgres-engine.ts'

const observer: Observer = {
  request: () => ({ perform: (_operation, _caller, perform) => perform(), end: () => {} }),
  run: (_work, perform) => perform(),
  count: () => {},
}

/** Opens empty stores, and the data of one again. */
function opener(newPlace: () => Promise<string>, openAt: (place: string) => Promise<OpenEngine>) {
  const places = new WeakMap<OpenEngine, string>()
  const open = async (place?: string) => {
    const at = place ?? (await newPlace())
    const store = await openAt(at)
    places.set(store, at)
    return store
  }
  const reopen = async (store: OpenEngine) => {
    await store.close()
    return open(places.get(store) ?? '')
  }
  return { open: () => open(), reopen }
}

function levelIn(t: Test) {
  const folder = t.testdir()
  let count = 0
  const newPlace = async () => `${folder}/${count++}`
  let opened = 0
  return opener(newPlace, async place => {
    // In every other opening the index does not fit into memory.
    const store = await LevelEngine.open(place, opened++ % 2 === 0 ? {} : { cacheBytes: 2_000 })
    return observed(store)
  })
}

/** Two stores on the same data behind one face: each call goes to the other one than the call before. */
/** The engine as a server has it, whose operations are observed, with what only tests do. */
const observed = (engine: OpenEngine): OpenEngine => ({
  ...observeEngine(engine, observer),
  clear: () => engine.clear(),
  snapshot: (tenant, root) => engine.snapshot(tenant, root),
})

function inTurn(stores: readonly [OpenEngine, OpenEngine]): OpenEngine {
  let calls = 0
  return new Proxy(stores[0], {
    get(store, name) {
      if (name === 'close') return () => Promise.all(stores.map(store => store.close()))
      if (!(name in store)) return undefined
      return (...given: unknown[]) => {
        const next = stores[calls++ % 2] as OpenEngine
        return Reflect.apply(next[name as 'get'] as never, next, given)
      }
    },
  })
}

const postgresAt = (url: string) => PostgresEngine.open(url, { migrate: true })
const postgresIn = (t: Test) => opener(() => openSchema(t), postgresAt)
const twoProcessesIn = (t: Test) =>
  opener(
    () => openSchema(t),
    async url => inTurn([await postgresAt(url), await postgresAt(otherEntry(url))]),
  )

t.test('the memory engine passes the cases of the port', async t => {
  const open = async () => observed(new MemoryEngine())
  runStoreCases(t, open, { takesSnapshots: true })
  const store = observeEngine(replacing(new MemoryEngine(), { now: () => 5 }), observer)
  t.equal(store.now(), 5, 'an observed store has the time of the store')
})

for (const [name, options, openerIn, abilities, histories] of [
  ['LevelDB', {}, levelIn, { keepsRecent: true }, { runs: 45 }],
  ['PostgreSQL', withPostgres, postgresIn, { sharesTime: true }, { runs: 15 }],
  // Commits of several processes have no order: they are asked one after the other.
  ['two on one PostgreSQL', withPostgres, twoProcessesIn, { sharesTime: true }, { runs: 15, oneByOne: true }],
] as const) {
  t.test(`the engine passes the cases of the port: ${name}`, options, async t => {
    const { open, reopen } = openerIn(t)
    runStoreCases(t, open, { ...abilities, reopen })
  })

  t.test(`random histories have the same results as in memory: ${name}`, options, async t => {
    await runStoreModel(t, { openModel: async () => new MemoryEngine(), ...openerIn(t), ...histories })
  })
}
