import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

/** Rights to set expressions over existing data, and what the response to an update shows. */
const vault = openVault(t)
const secret = '123-45-6789'
const update = ['token:update']
const rule = (transform: string, container = '/', priority = 1) => ({
  priority,
  container,
  transform,
  permissions: [...update],
})

const made = async (tenant: TestTenant, members: object = {}) =>
  (await makeToken(tenant, { type: 'social_security_number', data: secret, ...members } as never)) as string

t.test('every member that may not be set is named, and none is evaluated', async t => {
  const tenant = await openTenant(vault)
  const id = await made(tenant)
  const masking = await tenant.application({ rules: [rule('mask')] })
  const failing = '{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}'
  const [first, second] = [
    { mask: failing, fingerprint_expression: '{{', search_indexes: ['{{ data | nope }}'] },
    { mask: 'X', fingerprint_expression: 'X', search_indexes: ['X'] },
  ]
  const replies = [
    await masking('PATCH', `/tokens/${id}`, first),
    await masking('PATCH', `/tokens/${id}`, second),
  ]
  for (const { status, json } of replies) {
    t.equal(status, 403)
    t.same(Object.keys(json.errors), ['mask', 'fingerprint_expression', 'search_indexes'])
  }
  const [one, other] = replies.map(({ json }) => ({ ...json, instance: '' }))
  t.same(one, other, 'a failing expression is refused in the same words')
  t.equal((await tenant.send('PATCH', `/tokens/${id}`, first)).status, 400, 'control: it fails')
})

t.test('a move to where there is no right is refused before anything is evaluated', async t => {
  const tenant = await openTenant(vault)
  const id = await made(tenant, { containers: ['/open/'] })
  const send = await tenant.application({ rules: [rule('reveal', '/open/')] })
  const patch = { mask: '{{ data | nope }}' }
  t.equal((await send('PATCH', `/tokens/${id}`, { ...patch, containers: ['/else/'] })).status, 403)
  t.equal((await send('PATCH', `/tokens/${id}`, { ...patch, containers: ['/open/'] })).status, 400, 'control')
})

t.test('a refused update evaluates nothing over the merged data', async t => {
  const tenant = await openTenant(vault)
  const id = await makeToken(tenant, {
    type: 'token',
    data: { pin: '1' },
    search_indexes: ['{{ data.pin }}'],
  })
  const send = await tenant.application({ rules: [rule('redact')] })
  for (const data of [{ pin: null }, { pin: '2' }]) {
    const { status, json } = await send('PATCH', `/tokens/${id}`, { data, expires_at: '2001-01-01' })
    t.equal(status, 400)
    t.same(Object.keys(json.errors), ['expires_at'])
  }
})

t.test('a formula has the right of its application', async t => {
  const own = openReactors(t)
  const tenant = await openTenant(own)
  const code = `module.exports = async ({ svc, args }) => {
    try { return { raw: (await svc.tokens.update(args.id, { mask: '{{ data }}' })).mask } }
    catch (error) { return { raw: error.status } }
  }`
  const cases: [rights: object, type: string, outcome: unknown][] = [
    [{ permissions: update }, 'private', '{{ data }}'],
    [{ rules: [rule('mask')] }, 'private', 403],
    [{ permissions: update }, 'public', 403],
  ]
  for (const [rights, type, outcome] of cases) {
    const id = await made(tenant)
    const application = await tenant.application(rights as never, type)
    const react = await reactorOn(tenant, code, { reactor: { application: { id: application.id } } })
    t.equal((await react({ args: { id } })).json.raw, outcome, `${type} ${JSON.stringify(rights)}`)
  }
})
