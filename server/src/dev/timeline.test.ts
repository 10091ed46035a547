import t from 'tap'
import { Canaries, findLeaks } from '../../verify/support/canaries.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test(
  'a timeline has requests, faults, webhooks, lines of formulas and moves of clocks, in order',
  async t => {
    const vault = openReactors(t)
    const tenant = await openTenant(vault)
    const other = await openTenant(vault)
    const dev = vault.dev.forTenant(tenant)
    const application = (await tenant.send('GET', '/applications/key')).json.id
    const react = await reactorOn(
      tenant,
      "module.exports = async ({ args }) => { console.warn('charging', args.card); return { raw: args } }",
      { reactor: { application: { id: application } } },
    )
    await dev.requests.clear()
    await other.send('GET', '/tokens')
    const create = (headers: Record<string, string>) =>
      tenant.send('POST', '/tokens', { type: 'token', data: 1 }, headers)
    await create({ 'SVC-IDEMPOTENCY-KEY': 'once' })
    await create({ 'SVC-IDEMPOTENCY-KEY': 'once' })
    await create({ 'SVC-IDEMPOTENCY-KEY': 'twice' })
    await tenant.asPublic('GET', '/tokens')
    await dev.faults.next({ operation: 'tokens.list', status: 503, times: 2 })
    await tenant.send('GET', '/tokens')
    await react({ args: { card: 1 }, callback_url: dev.inbox.url })
    await dev.inbox.next()
    await dev.tenantClock.advance('1h')
    await vault.dev.clock.advance(1000)
    const { data, faults, now } = await dev.timeline()
    const [first] = data
    t.match(first, { kind: 'request', operation: 'tokens.create', status: 201, body: { data: 'number(1)' } })
    const shown = data.map(({ kind, operation, status, faulty, repeats, permission, level, body }) => ({
      ...{ kind, operation, status, faulty, permission, level },
      repeats: repeats === first?.number ? 'the first' : repeats,
      ...(kind === 'console' ? { body } : {}),
    }))
    t.match(shown, [
      { operation: 'tokens.create', status: 201, repeats: undefined },
      { operation: 'tokens.create', status: 201, repeats: 'the first' },
      { operation: 'tokens.create', status: 201, repeats: undefined },
      { operation: 'tokens.list', status: 403, permission: 'token:read', faulty: undefined },
      { kind: 'fault' },
      { operation: 'tokens.list', status: 503, faulty: true },
      { operation: 'reactors.react', status: 202 },
      { kind: 'console', level: 'warn', body: 'string(10)' },
      { kind: 'webhook', status: 200 },
      { kind: 'clock' },
      { kind: 'clock' },
    ])
    t.equal(shown.length, 11)
    t.match(data[4]?.fault, { operation: 'tokens.list', status: 503, times: 2 })
    t.match(data[8], { reactor_id: react.id, attempt: 1, body: { raw: { card: 'number(1)' } } })
    t.match(faults, [{ fault: { status: 503 }, used: 1, left: 1 }])
    const [before, moved] = data.slice(-3).map(({ at }) => Date.parse(at))
    t.ok((moved ?? 0) >= (before ?? 0) + 3_600_000 - 60_000, 'the clock of the tenant')
    t.ok(Date.parse(now) >= (moved ?? 0) + 1000, 'the clock of the server')
    const others = (await vault.dev.forTenant(other).timeline()).data
    t.same(
      others.map(({ kind, operation }) => operation ?? kind),
      ['tokens.list', 'clock'],
      'the server’s clock belongs to all',
    )
    await vault.dev.reset()
    const again = await openTenant(vault)
    t.same((await vault.dev.forTenant(again).timeline()).data, [])
  },
)

t.test('a restored snapshot is an entry, and clearing the requests clears the timeline', async t => {
  const vault = openVault(t, { storage: 'memory:' })
  const tenant = await vault.dev.createTenant()
  const dev = vault.dev.forTenant(tenant)
  await tenant.restore(await tenant.snapshot())
  t.match((await dev.timeline()).data, [{ kind: 'restore' }])
  await dev.requests.clear()
  t.same((await dev.timeline()).data, [])
  await t.rejects(tenant.restore('none'))
  t.same((await dev.timeline()).data, [], 'what was refused did not happen')
})

t.test('nothing that a caller or a formula chose is in a timeline', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const canaries = new Canaries()
  const digits = (what: string) => canaries.digits(what, 16)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const [printed, name] = [digits('printed'), digits('a name')]
  const react = await reactorOn(
    tenant,
    `module.exports = async ({ args }) => {
       console.log('${printed}', args.card)
       return { raw: { '${name}': args.card, error: '${printed}' } }
     }`,
    { reactor: { application: { id: application } } },
  )
  await tenant.send('GET', `/tokens/${digits('a path')}`)
  await tenant.send('GET', `/tokens?metadata.${digits('a query')}=${digits('a value of a query')}`)
  await tenant.send(
    'POST',
    '/tokens',
    { type: 'token', data: digits('data'), metadata: { [digits('a name of metadata')]: digits('metadata') } },
    { 'SVC-IDEMPOTENCY-KEY': digits('an idempotency key'), 'SVC-TRACE-ID': digits('a trace id') },
  )
  await tenant.asPublic('GET', `/tokens/${digits('a refused path')}`)
  await dev.faults.next({ id: digits('the id of a fault'), trace_id: digits('its trace id'), status: 503 })
  await react({
    args: { card: digits('an argument') },
    callback_url: `${dev.inbox.url}${digits('a callback url')}`,
  })
  await dev.inbox.next()
  const text = JSON.stringify(await dev.timeline())
  for (const kind of ['request', 'fault', 'webhook', 'console'])
    t.ok(text.includes(`"kind":"${kind}"`), `the control: ${kind}`)
  t.same(findLeaks(canaries.all, text), [])
})

t.test('a timeline has bounds', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  for (let round = 0; round < 101; round++)
    await Promise.all(Array.from({ length: 10 }, () => tenant.send('GET', '/tokens/any')))
  t.equal((await dev.timeline()).data.length, 1000)
})
