// Only in CI: it starts servers.
import t from 'tap'
import { silentLog } from '../../src/base/log.ts'
import { LevelEngine } from '../../src/storage/engines/level/level-engine.ts'
import { enginesToTry, openTestStore } from '../support/storage.ts'
import { newMasterKey, replacing } from '../support/stores.ts'
import { openTenant, openVault, type Send, sender } from '../support/vault.ts'

/**
 * Sets the machine's clock back by an hour: expired records must not reappear.
 */
const minute = 60_000
const hour = 60 * minute

/** A machine's clock that can be set. */
function machineClock() {
  let ms = Date.UTC(2030, 0, 1)
  return { now: () => ms, move: (by: number) => (ms += by) }
}

for (const engine of enginesToTry) {
  t.test(`expired tokens stay expired, also after a restart (${engine})`, async t => {
    const masterKey = newMasterKey()
    const clock = machineClock()
    const folder = t.testdir()
    const shared = engine === 'level' ? undefined : await openTestStore(t)
    const start = async () => {
      const store = shared ? replacing(shared, { close: async () => {} }) : await LevelEngine.open(folder)
      return openVault(
        t,
        { masterKey, now: clock.now, log: silentLog, developmentTenant: false },
        { openStore: async () => store },
      )
    }
    const first = await start()
    const tenant = await openTenant(first)
    const send = (vault: typeof first, ...request: Parameters<Send>) =>
      sender(vault, tenant.privateKey)(...request)
    const create = (vault: typeof first, id: string, atMs: number) =>
      send(vault, 'POST', '/tokens', { id, type: 'token', data: 1, expires_at: new Date(atMs).toISOString() })
    t.equal((await create(first, 'ends-soon', clock.now() + 10 * minute)).status, 201)
    t.equal((await create(first, 'ends-later', clock.now() + 2 * hour)).status, 201)
    clock.move(20 * minute)
    t.equal((await send(first, 'GET', '/tokens/ends-soon')).status, 404)
    t.equal((await send(first, 'GET', '/tokens/ends-later')).status, 200)

    clock.move(-hour)
    t.equal((await send(first, 'GET', '/tokens/ends-soon')).status, 404, 'the clock was set back')
    const before = await first.clock.now()
    clock.move(10 * minute)
    const passed = (await first.clock.now()) - before
    t.ok(passed > 9.8 * minute && passed <= 10 * minute, `${passed} ms of ten minutes`)

    const [reached] = [await first.clock.now()]
    await first.close()
    clock.move(-minute)
    const second = await start()
    t.ok((await second.clock.now()) >= reached, 'after a restart the clock continues from there')
    t.equal((await send(second, 'GET', '/tokens/ends-soon')).status, 404)
    t.equal((await create(second, 'made-later', (await second.clock.now()) - 1)).status, 400)
    t.equal((await create(second, 'made-later', (await second.clock.now()) + minute)).status, 201)
    const made = (await send(second, 'GET', '/tokens/made-later')).json.created_at
    t.ok(Date.parse(made) >= reached, 'stamps continue as well')
    clock.move(3 * hour)
    t.equal((await send(second, 'GET', '/tokens/ends-later')).status, 404)
    await second.close()
  })
}

t.test('a crash loses at most a minute of the clock', async t => {
  const masterKey = newMasterKey()
  const clock = machineClock()
  const store = await openTestStore(t)
  const options = { masterKey, now: clock.now, log: silentLog, developmentTenant: false }
  const first = openVault(t, options, { openStore: async () => store })
  await first.ready()
  for (let minutes = 0; minutes < 30; minutes++) {
    clock.move(minute)
    // Done by a timer after a minute.
    await first.clock.advance(0)
  }
  const reached = await first.clock.now()
  clock.move(-hour)
  const second = openVault(t, options, { openStore: async () => store })
  t.ok((await second.clock.now()) >= reached - minute)
})

t.test('of several servers on one store, none is behind the time that another has reached', async t => {
  const masterKey = newMasterKey()
  const clock = machineClock()
  const store = await openTestStore(t)
  const options = { masterKey, now: clock.now, log: silentLog, developmentTenant: false }
  const one = openVault(t, options, { openStore: async () => store })
  await one.ready()
  clock.move(hour)
  await one.clock.advance(0)
  clock.move(-hour)
  const two = openVault(t, options, { openStore: async () => store })
  t.ok(Math.abs((await two.clock.now()) - (await one.clock.now())) <= minute)
})

t.test('time advanced on one server is not set back by another that was advanced less', async t => {
  const store = await openTestStore(t)
  const masterKey = newMasterKey()
  const open = () => openVault(t, { masterKey, now: () => 0 }, { openStore: async () => store })
  const [one, other] = [open(), open()]
  await one.clock.advance(60 * minute)
  await other.clock.advance(minute)
  t.equal(await open().clock.now(), 60 * minute)
})

t.test('the operator is warned', async t => {
  const clock = machineClock()
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (event: string, fields?: object) => warnings.push({ event, ...fields }) }
  const vault = openVault(t, { now: clock.now, log })
  for (const move of [0, 0, -hour, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) {
    clock.move(move + minute)
    await vault.clock.advance(0)
  }
  t.match(warnings, [{ event: /^the clock was set back/ }])
  t.equal(warnings.length, 1, 'once')
  const { ahead_ms: aheadMs } = warnings[0] as { ahead_ms: number }
  t.ok(aheadMs > 58 * minute && aheadMs < hour, `${aheadMs} ms`)
})
