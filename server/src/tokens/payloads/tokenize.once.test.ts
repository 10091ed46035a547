import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

/** Tokens made only once: duplicates in a payload, across payloads, and repeated requests. */
const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }
const only = { ...card, deduplicate_token: true }
const keyed = (key: string) => ({ 'SVC-IDEMPOTENCY-KEY': key })

const countOf = async (tenant: TestTenant) =>
  (await tenant.send('GET', '/tokens')).json.pagination.total_items as number

t.test('an original that is there is answered, beside new tokens', async t => {
  const tenant = await openTenant(vault)
  const original = (await tenant.send('POST', '/tokens', card)).json
  const { json } = await tenant.send('POST', '/tokenize', { only, another: card, bare: 1 })
  t.same(json.only, original)
  t.not(json.another.id, original.id, 'without the request there is another one')
  t.equal(await countOf(tenant), 3)
  t.same(
    (await tenant.send('POST', '/tokenize', { only })).json,
    { only: original },
    'and nothing new at all',
  )
  t.equal(await countOf(tenant), 3)
})

t.test('of two equal ones in one payload the first is answered for both', async t => {
  const tenant = await openTenant(vault)
  const { status, json } = await tenant.send('POST', '/tokenize', { a: card, b: [only, only], c: card })
  t.equal(status, 200)
  t.same(json.b, [json.a, json.a])
  t.not(json.c.id, json.a.id)
  t.equal(await countOf(tenant), 2)
  t.same((await tenant.send('GET', `/tokens/${json.a.id}`)).json.created_at, json.b[0].created_at)
})

t.test(
  'equal in type and fingerprint, a bare value counts as well, and an own id no longer clashes',
  async t => {
    const tenant = await openTenant(vault)
    const same = { id: 'mine', type: 'token', data: 'v', deduplicate_token: true }
    const { status, json } = await tenant.send('POST', '/tokenize', [
      same,
      same,
      'v',
      { ...same, type: 'token' },
    ])
    t.equal(status, 200)
    t.same(
      json.filter((one: JsonValue) => typeof one === 'object').map((one: { id: string }) => one.id),
      ['mine', 'mine', 'mine'],
    )
    t.equal(await countOf(tenant), 2)
    const number = { type: 'card_number', data: card.data.number, deduplicate_token: true }
    const mixed = (await tenant.send('POST', '/tokenize', [only, number])).json
    t.not(mixed[0].id, mixed[1].id, 'another type is another token')
  },
)

t.test('without token:read what was there before is answered without its content', async t => {
  const tenant = await openTenant(vault)
  const original = (await tenant.send('POST', '/tokens', { ...card, metadata: { a: 'b' } })).json
  const { json } = await tenant.asPublic('POST', '/tokenize', [
    only,
    'x',
    { ...only, type: 'token', data: 'x' },
  ])
  const { data: _d, metadata: _m, fingerprint_expression: _f, mask: _k, ...rest } = original
  t.same(json[0], rest)
  for (const member of ['data', 'mask', 'fingerprint_expression']) t.notOk(member in json[2], member)
  t.equal(json[2].id, json[1], 'nor that of an earlier one of the same payload')
})

t.test('racing payloads and creates leave one token', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 2
        ? tenant.send('POST', '/tokens', only)
        : tenant.send('POST', '/tokenize', { at: [index, only], bank: index }),
    ),
  )
  t.ok(replies.every(reply => reply.status === 200 || reply.status === 201))
  const ids = replies.map(({ json }) => json.id ?? json.at[1].id)
  t.equal(new Set(ids).size, 1)
  t.equal(await countOf(tenant), 1 + 60)
})

t.test('racing payloads with one own id: one wins, the others leave nothing', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      tenant.send('POST', '/tokenize', [index, { id: 'contested', type: 'token', data: index }]),
    ),
  )
  t.equal(replies.filter(reply => reply.status === 200).length, 1)
  t.equal(replies.filter(reply => reply.status === 409).length, 19)
  t.equal(await countOf(tenant), 2)
})

t.test('racing aliases end in different ids, though few are free', async t => {
  const tenant = await openTenant(vault)
  const made = { id: 'n{{ data | alias_preserve_format: 1, 1 }}', type: 'token', data: '123' }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => tenant.send('POST', '/tokenize', [made, made, made])),
  )
  const ids = replies.flatMap(({ json }) => json.map((token: { id: string }) => token.id))
  t.equal(new Set(ids).size, 30)
  t.ok(ids.filter(id => /^n1\d3$/.test(id)).length >= 5)
  t.equal(await countOf(tenant), 30)
})

t.test('a token whose time is over makes way for its successor', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const expires_at = new Date((await own.clock.now()) + 30_000).toISOString()
  const first = (await tenant.send('POST', '/tokenize', [{ ...only, expires_at }])).json
  await own.clock.advance(30_000)
  const second = await tenant.send('POST', '/tokenize', [only, 'x'])
  t.equal(second.status, 200)
  t.not(second.json[0].id, first[0].id)
})

t.test('an idempotency key repeats the whole response, to the microsecond, and does nothing', async t => {
  const tenant = await openTenant(vault)
  const original = (await tenant.send('POST', '/tokens', card)).json
  const payload = {
    new: [{ type: 'card', data: { number: '5555555555554444' } }, 'bare', 7],
    old: only,
    duplicate: { type: 'token', data: 'bare', deduplicate_token: true },
    user: { id: 'x y', tenant_id: 'not a token' },
    nothing: null,
  }
  const send = () => tenant.send('POST', '/tokenize', payload, keyed('one'))
  const first = await send()
  const count = await countOf(tenant)
  t.equal(first.status, 200)
  t.equal(first.json.old.id, original.id)
  for (const again of [await send(), await send()]) {
    t.equal(again.status, 200)
    t.same(again.json, first.json)
  }
  t.equal(await countOf(tenant), count)
  t.equal((await tenant.send('POST', '/tokenize', [...'ab'], keyed('one'))).status, 422)
})

t.test('so it does for one value, for none, and for nothing new', async t => {
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', card)
  for (const [index, text] of [
    '"one"',
    '5',
    '[null,{}]',
    JSON.stringify(only),
    JSON.stringify(card),
  ].entries()) {
    const send = () => tenant.send('POST', '/tokenize', { raw: text }, keyed(`key ${index}`))
    const first = await send()
    t.equal(first.status, 200)
    t.equal(JSON.stringify(JSON.parse((await send()).text)), JSON.stringify(JSON.parse(first.text)), text)
  }
  t.equal(await countOf(tenant), 4)
})

t.test('until one of its tokens is gone, if only an id stood for it', async t => {
  const tenant = await openTenant(vault)
  for (const gone of [0, 1, 2]) {
    const send = () => tenant.send('POST', '/tokenize', [card, 'bare', only], keyed(`key ${gone}`))
    const { json } = await send()
    t.same((await send()).json, json, 'the control')
    await tenant.send('DELETE', `/tokens/${json[gone].id ?? json[gone]}`)
    t.match(await send(), { status: 404, json: { type: 'urn:surrogate:error:not_found' } }, `${gone}`)
  }
})

t.test('a failure is not kept, and a race with one key does the work once', async t => {
  const tenant = await openTenant(vault)
  const id = 'wanted'
  await tenant.send('POST', '/tokens', { id, type: 'token', data: 1 })
  const send = () => tenant.send('POST', '/tokenize', ['x', { id, type: 'token', data: 2 }], keyed('one'))
  t.equal((await send()).status, 409)
  await tenant.send('DELETE', `/tokens/${id}`)
  const replies = await Promise.all(Array.from({ length: 10 }, send))
  const done = replies.filter(reply => reply.status === 200)
  t.ok(done.length >= 1)
  t.equal(new Set(done.map(reply => reply.text)).size, 1)
  for (const { status, json } of replies) {
    if (status !== 200) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
  }
  t.equal(await countOf(tenant), 2)
})

t.test('a replay survives a restart', async t => {
  const folder = t.testdir()
  const open = () => openVault(t, { storage: `level:${folder}` })
  const own = open()
  const tenant = await openTenant(own)
  const first = await tenant.send('POST', '/tokenize', { card, bare: 1 }, keyed('one'))
  await own.close()
  const reply = await open().fetch('http://vault/tokenize', {
    method: 'POST',
    headers: { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json', ...keyed('one') },
    body: JSON.stringify({ card, bare: 1 }),
  })
  t.same(await reply.json(), first.json)
})
