import t from 'tap'
import { Dev as SdkDev, DevError as SdkDevError } from '../../../sdk/src/dev/index.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { DevError } from '../generated/dev-client/index.ts'

/** The status with which a call fails, and its message. */
const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'it did not fail',
    (error: DevError) => `${error.status} ${error.message}`,
  )

const unknown = '00000000-0000-4000-8000-000000000000'

t.test('in process and over the wire, the same calls do the same', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const wire = new SdkDev({ baseUrl: url, managementKey: tenant.managementKey })
  for (const [where, dev, errors] of [
    ['in process', vault.dev, DevError],
    ['over the wire', wire, SdkDevError],
  ] as const) {
    const before = await vault.clock.now()
    const now = await dev.clock.advance('1h')
    t.ok(now.getTime() >= before + 3_600_000, `${where}: time moves`)
    const made = await dev.createTenant()
    t.match(made, { tenantId: /^[0-9a-f-]{36}$/, managementKey: /^key_mgt_/ }, where)
    const own = dev.forTenant(made)
    t.match(await failure(own.console(unknown)), /^404/, where)
    const refused = await dev.clock.advance(-1).catch(error => error)
    t.ok(refused instanceof errors, where)
    t.match(refused.message, 'dev.clock.advance: advance_ms must be at least 0', where)
    t.match(refused, { status: 400, errors: { advance_ms: ['must be at least 0'] } }, where)
  }
  await wire.reset()
  t.equal((await tenant.send('GET', '/tokens')).status, 401, 'everything is deleted')
})

t.test('vault.dev is about the only tenant, and has to be told which if there are several', async t => {
  const vault = openVault(t)
  t.match(await failure(vault.dev.console(unknown)), /^401/, 'there is none')
  const tenant = await vault.createTenant()
  t.match(await failure(vault.dev.console(unknown)), /^404/, 'there is one')
  await vault.dev.createTenant()
  t.match(await failure(vault.dev.console(unknown)), /^401.*dev\.forTenant\(tenant\)/)
  t.match(await failure(vault.dev.forTenant(tenant).console(unknown)), /^404/)
  await vault.reset()
  await vault.createTenant()
  t.match(await failure(vault.dev.console(unknown)), /^404/, 'one again')
})

t.test('without dev: true the calls fail, and say why', async t => {
  const vault = openVault(t, { dev: false })
  await vault.createTenant()
  t.match(await failure(vault.dev.reset()), /^404.*was the server started with --dev\?/)
})

t.test('vault.dev carries the token and the header prefix of its vault', async t => {
  const vault = openVault(t, { devToken: 'a-token-of-16-or-more', headerPrefix: 'ACME' })
  const { url } = await vault.listen()
  const tenant = await vault.createTenant()
  t.match(await failure(vault.dev.console(unknown)), /^404/)
  const options = { baseUrl: `${url}/`, headerPrefix: 'ACME', managementKey: tenant.managementKey }
  t.match(await failure(new SdkDev(options).reset()), /^401/)
  await t.resolves(new SdkDev({ ...options, token: 'a-token-of-16-or-more' }).reset())
})

t.test('a misspelt option is named, and members of a tenant may come with the options', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await vault.createTenant()
  const list = (more: object) => new SdkDev({ baseUrl: url, ...more } as { baseUrl: string }).requests.list()
  t.same(await list(tenant), [], 'control')
  t.same(await list(await vault.dev.createTenant()), [])
  for (const [misspelt, option] of [
    ['managmentKey', 'managementKey'],
    ['management_key', 'managementKey'],
    ['tokne', 'token'],
    ['headerPrefx', 'headerPrefix'],
  ] as const) {
    t.throws(() => list({ [misspelt]: 'x' }), {
      name: 'TypeError',
      message: `unknown option ${misspelt}; did you mean ${option}?`,
    })
  }
  const forTenant = vault.dev.forTenant as unknown as (given?: unknown) => unknown
  for (const [given, hint] of [
    [undefined, ''],
    [{}, ''],
    [{ managementkey: 'x' }, ', not managementkey; did you mean managementKey?'],
  ] as const) {
    t.throws(() => forTenant.call(vault.dev, given), {
      name: 'TypeError',
      message: `forTenant takes a tenant, by its managementKey${hint}`,
    })
  }
})

t.test('a 404 asks for --dev only if the server is not one for development', async t => {
  const vault = openVault(t)
  const tenant = await vault.createTenant()
  const { sessions, restore, console, inbox } = vault.dev.forTenant(tenant)
  const dev = vault.dev.forTenant(tenant)
  for (const call of [
    () => console.call(dev, unknown),
    () => restore.call(dev, 'x'),
    () => sessions.end(unknown),
    () => inbox.replay('x'),
  ]) {
    const message = await failure(call())
    t.match(message, /^404/)
    t.notMatch(message, /--dev/)
  }
})

t.test('a request that a busy server did not receive in time is sent again', async t => {
  let statuses: number[] = []
  let sent = 0
  const fetch = async () => {
    sent++
    const status = statuses.shift() ?? 201
    const body = status === 201 ? { tenant_id: 'made', management_key: 'key' } : undefined
    return new Response(body && JSON.stringify(body), { status })
  }
  const dev = new SdkDev({ baseUrl: 'http://127.0.0.1:4000', fetch })
  statuses = [408, 408]
  t.equal((await dev.createTenant()).tenantId, 'made')
  t.equal(sent, 3)
  statuses = [408, 408, 408]
  await t.rejects(dev.createTenant(), { status: 408, message: /408/ })
  statuses = [503]
  sent = 0
  await t.rejects(dev.createTenant(), { status: 503, message: /503/ })
  t.equal(sent, 1, 'control: others are not, as something may have been done')
})

t.test('a client without an address says which option is missing', t => {
  const make = (options?: object) => () => new SdkDev(options as { baseUrl: string })
  const message = 'baseUrl must be the URL of a development server, such as http://127.0.0.1:4000'
  t.throws(make(), { name: 'TypeError', message })
  t.throws(make({ baseUrl: '' }), { name: 'TypeError', message })
  t.throws(make({ baseURL: 'http://127.0.0.1:4000' }), {
    name: 'TypeError',
    message: 'unknown option baseURL; did you mean baseUrl?',
  })
  t.doesNotThrow(make({ baseUrl: 'http://127.0.0.1:4000' }), 'control')
  t.end()
})
