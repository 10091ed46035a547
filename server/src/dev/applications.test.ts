import t from 'tap'
import { Dev as SdkDev } from '../../../sdk/src/dev/index.ts'
import { Surrogate } from '../../../sdk/src/index.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('a limited client takes one line, in process and over the wire', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  for (const dev of [vault.dev, new SdkDev({ baseUrl: url })]) {
    const tenant = await dev.createTenant()
    const whole = new Surrogate(await tenant.application())
    await whole.tokens.create({ id: 'inside', type: 'token', data: 1, containers: ['/a/'] })
    await whole.tokens.create({ id: 'outside', type: 'token', data: 2, containers: ['/b/'] })
    t.equal((await whole.tokens.get('inside')).data, 1, 'the private application of a new tenant reveals')

    const rules = [
      { priority: 1, container: '/a/', transform: 'redact', permissions: ['token:read'] },
    ] as const
    const limited = new Surrogate(await tenant.application({ rules: [...rules] as never }))
    t.notOk('data' in (await limited.tokens.get('inside')))
    await t.rejects(limited.tokens.get('outside'), { message: /./, status: 403 })

    const reader = new Surrogate(await tenant.application({ permissions: ['token:read'] }))
    t.equal((await reader.tokens.get('outside')).id, 'outside')
    await t.rejects(reader.tokens.delete('outside'), { message: /./, status: 403 })

    const page = new Surrogate(await tenant.application({ type: 'public' }))
    t.ok((await page.tokens.create({ type: 'token', data: 3 })).id)
    await t.rejects(page.tokens.get('inside'), { message: /./, status: 403 })
  }
})

t.test('what an application cannot hold is refused by name', async t => {
  const vault = openVault(t)
  const tenant = await vault.dev.createTenant()
  const refused: readonly [Parameters<typeof tenant.application>[0], RegExp][] = [
    [{ type: 'public', permissions: ['token:read'] }, /permissions/],
    [{ type: 'secret' } as never, /type/],
    [{ permission: ['token:read'] } as never, /permission/],
    [
      { rules: [{ priority: 1, container: '/', transform: 'show', permissions: ['token:read'] }] } as never,
      /transform/,
    ],
  ]
  for (const [rights, message] of refused) {
    await t.rejects(tenant.application(rights), { status: 400, message })
  }
})

t.test('applications are listed with the keys that the server knows, each tenant its own', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const { id } = await tenant.application({ name: 'Shop' }, 'public')
  const { status, json } = await tenant.asManagement('GET', '/_dev/applications')
  t.equal(status, 200)
  t.match(json.data[0], { id, name: 'Shop', type: 'public', key: /^key_pub_/ })
  const keys = json.data.map(({ key }: { key: string }) => key)
  t.equal(keys.length, 4)
  for (const key of [tenant.publicKey, tenant.privateKey, tenant.managementKey]) t.ok(keys.includes(key))
  t.notOk(keys.includes(other.privateKey))
  t.equal((await tenant.send('GET', '/_dev/applications')).status, 403, 'not with a private key')
})
