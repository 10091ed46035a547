import t, { type Test } from 'tap'
import { Fixtures, withVault } from './fixture.ts'
import { startTestVault } from './testing.ts'

/** The vault of these tests. */
async function start(t: Test, storage = 'memory:') {
  const close = await startTestVault({ storage, log: silent })
  t.teardown(close)
}
const silent = { info() {}, warn() {}, error() {} }

const seed = {
  seed: ({ surrogate }: { surrogate: { tokens: { create(token: object): unknown } } }) =>
    surrogate.tokens.create({ id: 'seeded', type: 'token', data: 1 }) as Promise<unknown>,
}

t.test('a prepared tenant is restored for the next test, and never has two tests at once', async t => {
  await start(t)
  const fixtures = new Fixtures(seed)
  const [one, other] = await Promise.all([fixtures.open(), fixtures.open()])
  t.not(one.tenant.tenantId, other.tenant.tenantId)
  await one.surrogate.tokens.delete('seeded')
  await one.tenant.clock.advance('1h')
  const before = await one.tenant.clock.now()
  await one.release()
  const next = await fixtures.open()
  t.equal(next.tenant.tenantId, one.tenant.tenantId)
  t.match(await next.surrogate.tokens.get('seeded'), { data: 1 })
  t.ok((await next.tenant.clock.now()) < before, 'its time, too')
  await next.dev.requests.assert({ times: 1 })
})

t.test('a tenant that a test may have left in another state is not used again', async t => {
  await start(t)
  const fixtures = new Fixtures(seed)
  const failed = await fixtures.open()
  const after = await fixtures.open()
  t.not(after.tenant.tenantId, failed.tenant.tenantId, 'it was not released')
  await after.release()
  await after.dev.reset()
  const fresh = await fixtures.open()
  t.not(fresh.tenant.tenantId, after.tenant.tenantId, 'the server was reset')
  await fresh.dev.faults.next({ status: 503 })
  await fresh.dev.egress.respond('https://api.example.com', {})
  await fresh.release()
  const next = await fixtures.open()
  t.equal(next.tenant.tenantId, fresh.tenant.tenantId)
  t.same(await next.dev.faults.list(), [], 'faults are removed')
  t.same(await next.dev.egress.list(), [], 'answers, too')
})

t.test('without a seed, and without snapshots, each test has a new tenant', async t => {
  for (const [storage, options] of [
    ['memory:', {}],
    [`level:${t.testdir()}/data`, seed],
  ] as const) {
    await t.test(storage, async t => {
      await start(t, storage)
      const fixtures = new Fixtures(options)
      const one = await fixtures.open()
      await one.release()
      t.not((await fixtures.open()).tenant.tenantId, one.tenant.tenantId)
    })
  }
})

t.test('a test whose assertion failed is not checked, and its tenant is not used again', async t => {
  await start(t)
  const tenants: string[] = []
  const run = withVault(async ({ tenant, dev }, _context: { passing(): boolean }) => {
    tenants.push(tenant.tenantId)
    await dev.faults.next({ status: 503 })
  }, seed)
  await run({ passing: () => false })
  await t.rejects(run({ passing: () => true }), /these faults were not used/, 'the control')
  t.equal(new Set(tenants).size, 2)
})

t.test('an answer that is not used fails the test, as a fault does', async t => {
  await start(t)
  const run = (isCleared: boolean) =>
    withVault(async ({ dev }) => {
      await dev.egress.respond('https://api.example.com', { status: 402 })
      if (isCleared) await dev.egress.clear()
    })()
  await t.rejects(
    run(false),
    /^these answers were not used:\n {2}https:\/\/api.example.com → 402: never used/,
  )
  await run(true)
})

t.test('the body of a test gets what the runner passes, and declares no parameter', async t => {
  await start(t)
  const run = withVault(async ({ tenant }, context: string) =>
    t.match([tenant.tenantId, context], [/-/, 'given']),
  )
  t.equal(run.length, 0, 'jest takes a parameter for a callback')
  await run('given')
})
