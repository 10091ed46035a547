import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

async function created(tenant: TestTenant, body: object) {
  const reply = await tenant.send('POST', '/tokens', body as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json
}

t.test('data, mask and metadata are merged, the other members replaced', async t => {
  const tenant = await openTenant(vault)
  const { id, created_at } = await created(tenant, {
    type: 'token',
    data: { a: 1, b: { c: 2, d: 3 } },
    mask: { a: '{{ data.a }}', b: 'hidden' },
    metadata: { keep: 'x', drop: 'y' },
    containers: ['/one/'],
    search_indexes: ['{{ data.a }}'],
  })
  const { status, json } = await tenant.send('PATCH', `/tokens/${id}`, {
    data: { b: { c: null, e: 4 } },
    mask: { b: null },
    metadata: { drop: null, add: 'z' },
    containers: ['/two/', '/three/'],
    search_indexes: ['{{ data.b.e }}'],
    expires_at: '2099-01-01',
  })
  t.equal(status, 200)
  t.match(json, {
    data: { a: 1, b: { d: 3, e: 4 } },
    mask: { a: '{{ data.a }}' },
    metadata: { keep: 'x', add: 'z' },
    containers: ['/two/', '/three/'],
    search_indexes: ['{{ data.b.e }}'],
    expires_at: '2099-01-01T00:00:00Z',
    created_at,
  })
  t.same(Object.keys(json.mask), ['a'])
  t.same(Object.keys(json.metadata), ['keep', 'add'])
  t.ok(json.modified_at > created_at)
  t.equal(json.modified_by, json.created_by)
  t.same((await tenant.send('GET', `/tokens/${id}`)).json, json)
})

t.test('null puts back what a new token of the type would have', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, {
    type: 'social_security_number',
    data: '123-45-6789',
    mask: 'none of it',
    metadata: { a: 'b' },
    containers: ['/mine/'],
    search_indexes: ['{{ data }}'],
    fingerprint_expression: 'always the same',
    expires_at: '2099-01-01',
  })
  const { json } = await tenant.send('PATCH', `/tokens/${id}`, {
    mask: null,
    metadata: null,
    containers: null,
    search_indexes: null,
    fingerprint_expression: null,
    expires_at: null,
  })
  t.match(json, {
    mask: '{{ data | reveal_last: 4 }}',
    containers: ['/pii/high/'],
    fingerprint_expression: "{{ data | remove: '-' }}",
  })
  for (const member of ['metadata', 'expires_at', 'search_indexes']) t.notOk(member in json, member)
  const plain = await created(tenant, { type: 'social_security_number', data: '123-45-6789' })
  t.equal(json.fingerprint, plain.fingerprint)
})

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

t.test('metadata cannot grow past its limit by patches', async t => {
  const tenant = await openTenant(vault)
  const entries = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, 'v']))
  const { id } = await created(tenant, { type: 'token', data: 1, metadata: entries(0, 49) })
  t.equal((await tenant.send('PATCH', `/tokens/${id}`, { metadata: entries(49, 2) })).status, 400)
  t.equal((await tenant.send('PATCH', `/tokens/${id}`, { metadata: entries(49, 1) })).status, 200)
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

t.test('a fingerprint changes only with what it reads', async t => {
  const tenant = await openTenant(vault)
  const first = await created(tenant, {
    type: 'card',
    data: card,
    fingerprint_expression: '{{ data | stringify }}',
  })
  const touched = await tenant.send('PATCH', `/tokens/${first.id}`, {
    metadata: { a: 'b' },
    containers: ['/x/'],
  })
  t.equal(touched.json.fingerprint, first.fingerprint)
  const other = await tenant.send('PATCH', `/tokens/${first.id}`, { data: { expiration_month: 1 } })
  t.not(other.json.fingerprint, first.fingerprint)
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

t.test('an update is answered by the rule for token:update, and moving needs it on both sides', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, { type: 'card', data: card, containers: ['/from/'] })
  const mover = await tenant.application({
    rules: [
      { priority: 1, container: '/from/', transform: 'reveal', permissions: ['token:update'] },
      { priority: 2, container: '/to/', transform: 'mask', permissions: ['token:update'] },
    ],
  })
  const revealed = await mover('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } })
  t.equal(revealed.json.data.number, card.number)
  t.equal((await mover('PATCH', `/tokens/${id}`, { containers: ['/elsewhere/'] })).status, 403)
  t.equal((await mover('PATCH', `/tokens/${id}`, { containers: ['/from/', '/elsewhere/'] })).status, 403)
  t.same(
    (await tenant.send('GET', `/tokens/${id}`)).json.containers,
    ['/from/'],
    'refused moves moved nothing',
  )
  const moved = await mover('PATCH', `/tokens/${id}`, { containers: ['/to/'] })
  t.equal(moved.status, 200)
  t.equal(moved.json.data.number, 'XXXXXXXXXXXX4242')
  t.equal((await mover('GET', `/tokens/${id}`)).status, 403, 'token:update is not token:read')
})
