import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('a request is repeated with its key, idempotency key and body', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const body = { type: 'token', data: 's3cret' }
  await tenant.send('POST', '/tokens', body)
  await tenant.send('POST', '/tokens', body, { 'SVC-IDEMPOTENCY-KEY': 'once' })
  await tenant.send('GET', '/tokens?size=1')
  const [made, once, listed] = await requests.list()
  const again = await requests.replay(made?.number ?? 0)
  t.match(again, { operation: 'tokens.create', method: 'POST', path: '/tokens', status: 201 })
  t.equal(again.number, 4)
  t.not(again.trace_id, made?.trace_id)
  t.equal(again.application_id, made?.application_id)
  t.equal((await tenant.send('GET', '/tokens')).json.data.length, 3, 'another token')
  t.match(await requests.replay(once?.number ?? 0), { status: 201, idempotency_key: 'once' })
  t.equal((await tenant.send('GET', '/tokens')).json.data.length, 3, 'the idempotency key has its effect')
  t.match(await requests.replay(listed?.number ?? 0), { operation: 'tokens.list', status: 200 })

  const path = `/_dev/requests/${made?.number}/replay`
  const { status, text } = await tenant.asManagement('POST', path)
  t.equal(status, 200)
  t.notMatch(text, /s3cret|key_prv_/)
  t.equal((await other.asManagement('POST', path)).status, 404, 'each tenant its own')
  t.equal((await tenant.send('POST', path)).status, 403, 'not with a private key')
  t.equal((await tenant.asManagement('POST', '/_dev/requests/none/replay')).status, 400)
  await tenant.asManagement('DELETE', `/applications/${made?.application_id}`)
  t.match(await requests.replay(made?.number ?? 0).catch(error => error), {
    status: 404,
    message: /its key is not accepted any more/,
  })
})

t.test('a path is recorded with the ids of what is there', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', { id: 'a b', type: 'token', data: 1 })
  await tenant.send('GET', '/tokens/a%20b')
  await tenant.send('GET', '/tokens/unknown')
  const { data } = (await tenant.asManagement('GET', '/_dev/requests')).json
  t.same(
    data.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
    ['POST /tokens', 'GET /tokens/a%20b', 'GET /tokens/{id}'],
  )
})

t.test('what is not kept cannot be repeated', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const refused = (number: number | undefined) =>
    requests.replay(number ?? 0).then(
      () => 'repeated',
      error => error.status,
    )
  const token = (length: number) => ({ type: 'token', data: 'x'.repeat(length) })
  await tenant.send('POST', '/tokens', token(99_000))
  await tenant.send('POST', '/tokens', token(101_000))
  const [short, long] = await requests.list()
  t.equal(await refused(short?.number), 'repeated')
  t.equal(await refused(long?.number), 404, 'too long')
  await tenant.asManagement('POST', '/tokens', token(1))
  t.equal(await refused((await requests.list()).at(-1)?.number), 404, 'its body was not read')
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code = 'module.exports = async req => ({ raw: (await req.svc.tokens.list()).data.length })'
  await (await reactorOn(tenant, code, { reactor: { application: { id: application } } }))()
  const ofFormula = await requests.next({ operation: 'tokens.list' })
  t.equal(ofFormula.formula, true)
  t.equal(await refused(ofFormula.number), 404, 'a formula has no key')

  for (let round = 0; round < 11; round++) await tenant.send('POST', '/tokens', token(99_000))
  t.equal(await refused(short?.number), 404, 'one of more than 1 MB')
  await tenant.send('GET', '/tokens?size=1')
  const { number } = (await requests.list()).at(-1) ?? {}
  t.equal(await refused(number), 'repeated')
  for (let round = 0; round < 100; round++) await tenant.send('GET', '/tokens/any')
  t.equal(await refused(number), 404, 'one of more than 100')
})
