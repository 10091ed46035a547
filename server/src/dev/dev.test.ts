import t from 'tap'
import { Dev as SdkDev, DevError as SdkDevError } from '../../../sdk/src/dev/index.ts'
import { openVault } from '../../verify/support/vault.ts'
import { DevError } from '../generated/dev-client/index.ts'
import { devsOf, openDev } from './_dev.ts'

/** The status with which a call fails, and its message. */
const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'it did not fail',
    (error: DevError) => `${error.status} ${error.message}`,
  )

const unknown = '00000000-0000-4000-8000-000000000000'

t.test('in process and over the wire, the same calls do the same', async t => {
  const { vault, tenant } = await openDev(t)
  const devs = await devsOf(vault, tenant)
  for (const [where, dev] of devs) {
    const before = await vault.clock.now()
    t.ok((await dev.clock.advance('1h')).getTime() >= before + 3_600_000, `${where}: time moves`)
    const made = await dev.createTenant()
    t.match(made, { tenantId: /^[0-9a-f-]{36}$/, managementKey: /^key_mgt_/ }, where)
    const refused = await dev.clock.advance(-1).catch(error => error)
    t.ok(refused instanceof (where === 'in process' ? DevError : SdkDevError), where)
    t.match(refused.message, 'dev.clock.advance: advance_ms must be at least 0', where)
    t.match(refused, { status: 400, errors: { advance_ms: ['must be at least 0'] } }, where)
    const own = dev.forTenant(made)
    for (const call of [
      () => own.console(unknown),
      () => own.restore('x'),
      () => own.sessions.end(unknown),
      () => own.inbox.replay('x'),
    ])
      t.match(await failure(call()), /^404 (?!.*--dev)/, 'control: a server for development')
  }
  await devs[1][1].reset()
  t.equal((await tenant.send('GET', '/tokens')).status, 401, 'everything is deleted')
  const production = openVault(t, { dev: false })
  t.match(await failure(production.dev.reset()), /^404.*was the server started with --dev\?/)
})

t.test('vault.dev is about the only tenant, and has to be told which if there are several', async t => {
  const vault = openVault(t)
  const asked = () => failure(vault.dev.console(unknown))
  t.match(await asked(), /^401/, 'no tenant')
  const tenant = await vault.createTenant()
  t.match(await asked(), /^404/, 'one tenant')
  await vault.dev.createTenant()
  t.match(await asked(), /^401.*dev\.forTenant\(tenant\)/)
  t.match(await failure(vault.dev.forTenant(tenant).console(unknown)), /^404/)
  await vault.reset()
  await vault.createTenant()
  t.match(await asked(), /^404/, 'one again')
})

t.test('vault.dev carries the token and the header prefix of its vault', async t => {
  const vault = openVault(t, { devToken: 'a-token-of-16-or-more', headerPrefix: 'ACME' })
  const { url } = await vault.listen()
  const { managementKey } = await vault.createTenant()
  t.match(await failure(vault.dev.console(unknown)), /^404/)
  const options = { baseUrl: `${url}/`, headerPrefix: 'ACME', managementKey }
  t.match(await failure(new SdkDev(options).reset()), /^401/)
  await t.resolves(new SdkDev({ ...options, token: 'a-token-of-16-or-more' }).reset())
})

t.test('what is missing or misspelt is named, and members of a tenant may come with the options', async t => {
  const { vault, tenant } = await openDev(t)
  const { url: baseUrl } = await vault.listen()
  const make = (options?: object) => new SdkDev(options as { baseUrl: string })
  for (const own of [tenant, await vault.dev.createTenant()])
    t.same(await make({ ...own, baseUrl }).requests.list(), [], 'control')
  const url = 'baseUrl must be the URL of a development server, such as http://127.0.0.1:4000'
  for (const [given, message] of [
    [undefined, url],
    [{ baseUrl: '' }, url],
    [{ baseURL: baseUrl }, 'unknown option baseURL; did you mean baseUrl?'],
    [{ managmentKey: 'x', baseUrl }, 'unknown option managmentKey; did you mean managementKey?'],
    [{ management_key: 'x', baseUrl }, 'unknown option management_key; did you mean managementKey?'],
    [{ tokne: 'x', baseUrl }, 'unknown option tokne; did you mean token?'],
    [{ headerPrefx: 'x', baseUrl }, 'unknown option headerPrefx; did you mean headerPrefix?'],
  ] as const)
    t.throws(() => make(given), { name: 'TypeError', message })
  for (const [given, hint] of [
    [undefined, ''],
    [{}, ''],
    [{ managementkey: 'x' }, ', not managementkey; did you mean managementKey?'],
  ] as const) {
    const message = `forTenant takes a tenant, by its managementKey${hint}`
    t.throws(() => vault.dev.forTenant(given as never), { name: 'TypeError', message })
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
  for (const [replies, expected, attempts] of [
    [[408, 408], 'it did not fail', 3],
    [[408, 408, 408], /^408/, 3],
    // As something may have been done.
    [[503], /^503/, 1],
  ] as const) {
    statuses = [...replies]
    sent = 0
    t.match(await failure(dev.createTenant()), expected)
    t.equal(sent, attempts)
  }
})
