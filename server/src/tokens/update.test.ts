import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

async function created(tenant: TestTenant, body: object) {
  const reply = await tenant.send('POST', '/tokens', body as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json
}

t.test('the merged data is validated as its type, and a refused patch changes nothing', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, { type: 'card', data: card })
  const before = (await tenant.send('GET', `/tokens/${id}`)).json
  const refusals: [object, string][] = [
    [{ data: { number: '4242424242424241' } }, 'data.number'],
    [{ data: { number: null } }, 'data.number'],
    [{ data: { expiration_month: 13 } }, 'data.expiration_month'],
    [{ data: { pin: '1234' } }, 'data.pin'],
    [{ data: 'text' }, 'data'],
    [{ data: null }, 'data'],
    [{ search_indexes: ['{{ data.number }}'] }, 'search_indexes'],
    [{ containers: [] }, 'containers'],
    [{ containers: ['no-slash'] }, 'containers.0'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ expires_at: '2001-01-01' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) }, 'metadata'],
  ]
  for (const [patch, path] of refusals) {
    const { status, json } = await tenant.send('PATCH', `/tokens/${id}`, patch as never)
    t.equal(status, 400, JSON.stringify(patch).slice(0, 60))
    t.ok(json.errors?.[path], `${path} is named: ${JSON.stringify(json.errors)}`)
  }
  t.same((await tenant.send('GET', `/tokens/${id}`)).json, before)
  const control = await tenant.send('PATCH', `/tokens/${id}`, { data: { number: '5555555555554444' } })
  t.equal(control.status, 200)
  t.same((await tenant.send('GET', `/tokens/${id}`)).json.data, { ...card, number: '5555555555554444' })
})

t.test('a patch can replace all of the metadata at once, and names no more than that takes', async t => {
  const tenant = await openTenant(vault)
  const entries = (from: number, count: number, value: string | null) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, value]))
  const { id } = await created(tenant, { type: 'token', data: 1, metadata: entries(0, 50, 'old') })
  const metadata = { ...entries(0, 50, null), ...entries(50, 50, 'new') }
  const refused = await tenant.send('PATCH', `/tokens/${id}`, { metadata: { ...metadata, k100: null } })
  t.equal(refused.status, 400)
  t.ok(refused.json.errors.metadata)
  const replaced = await tenant.send('PATCH', `/tokens/${id}`, { metadata })
  t.equal(replaced.status, 200)
  t.same(replaced.json.metadata, entries(50, 50, 'new'))
})

t.test('any content type but merge patch is a 415', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, { type: 'token', data: 1 })
  const types = ['application/json', 'text/plain', 'application/json-patch+json', 'application/merge-patch']
  for (const type of types) {
    const reply = await tenant.send('PATCH', `/tokens/${id}`, { data: 2 }, { 'Content-Type': type })
    t.equal(reply.status, 415, type)
  }
  const accepted = ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=UTF-8']
  for (const type of accepted) {
    const reply = await tenant.send('PATCH', `/tokens/${id}`, { data: 2 }, { 'Content-Type': type })
    t.equal(reply.status, 200, type)
  }
})

t.test('concurrent patches of one token lose nothing', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, { type: 'token', data: {} })
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      tenant.send('PATCH', `/tokens/${id}`, {
        data: { [`k${index}`]: index },
        metadata: { [`m${index}`]: 'x' },
      }),
    ),
  )
  t.ok(replies.every(reply => reply.status === 200))
  const { json } = await tenant.send('GET', `/tokens/${id}`)
  t.equal(Object.keys(json.data).length, 40)
  t.equal(Object.keys(json.metadata).length, 40)
})

t.test('erasing a cvc changes no fingerprint, not even with the next patch', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const first = await created(tenant, {
    type: 'card',
    data: card,
    fingerprint_expression: '{{ data | stringify }}',
  })
  await own.clock.advance(3_600_000)
  const { json } = await tenant.send('PATCH', `/tokens/${first.id}`, { metadata: { a: 'b' }, data: {} })
  t.notOk('cvc' in json.data)
  t.equal(json.fingerprint, first.fingerprint)
})
