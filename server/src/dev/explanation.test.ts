import t from 'tap'
import { openTenant, openVault, type Reply } from '../../verify/support/vault.ts'
import { withoutIds } from '../../verify/support/without-ids.ts'

const now = () => Date.UTC(2030, 0, 1)
const number = '4242424242424242'
const card = { id: 'a-card', type: 'card', data: { number }, containers: ['/pci/', '/shop/'] }

t.test('a 403 explains who asked, the rights in their order, and why each does not match', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', card)
  const conditions = [{ attribute: 'id', operator: 'equals', value: 'another' }]
  const limited = await tenant.application({
    rules: [
      { priority: 7, container: '/', transform: 'mask', permissions: ['token:search'] },
      { priority: 2, container: '/pci/', transform: 'mask', permissions: ['token:read'] },
      { priority: 5, conditions, transform: 'reveal', permissions: ['token:read'] },
    ],
  })
  const { status, json } = await limited('GET', '/tokens/a-card')
  t.equal(status, 403)
  t.same(json.explanation, {
    operation: 'tokens.get',
    application: limited.id,
    application_type: 'private',
    permission: 'token:read',
    rules: [
      { of: 'application', priority: 2, matches: false, reason: 'covers /pci/, and not /shop/' },
      {
        of: 'application',
        priority: 5,
        matches: false,
        reason: 'covers tokens where id equals another, and not the id of the token',
      },
      { of: 'application', priority: 7, matches: false, reason: 'does not list token:read' },
      { of: 'application', priority: null, matches: false, reason: 'token:read is not held directly' },
    ],
    reasons: ['no access rule gives token:read on /shop/'],
  })
  const nowhere = await limited('DELETE', '/tokens/a-card')
  t.equal(nowhere.json.explanation.permission, 'token:delete')
  t.ok(nowhere.json.explanation.rules.every(({ matches }: { matches: boolean }) => !matches))
})

t.test('a session is explained by its grant and by the rights of its authorizer', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', card)
  const authorizer = await tenant.application({
    rules: [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
  })
  const { json: session } = await tenant.asPublic('POST', '/sessions')
  const grant = { nonce: session.nonce, permissions: ['token:read'] }
  t.equal((await authorizer('POST', '/sessions/authorize', grant)).status, 200)
  const { status, json } = await tenant.as(session.session_key)('GET', '/tokens/a-card')
  t.equal(status, 403)
  t.match(json.explanation, { session: true, application_type: 'public' })
  t.match(json.explanation.rules, [
    { of: 'session', priority: null, matches: true },
    { of: 'authorizer', priority: 1, matches: false, reason: 'covers /pci/, and not /shop/' },
    { of: 'authorizer', priority: null, matches: false },
  ])
})

t.test('what is missing for /proxy is named by its flags, and an expired token by its time', async t => {
  const url = { 'SVC-PROXY-URL': 'https://other.example.com/a' }
  const none = await openTenant(openVault(t))
  t.match(await none.send('GET', '/proxy/a'), {
    status: 404,
    json: {
      detail: /--proxy-allow-origin or --proxy-map-origin/,
      explanation: { reasons: [/proxyAllowOrigins/] },
    },
  })
  t.notMatch((await none.send('GET', '/proxi')).json.detail, /--proxy/, 'control')
  const quiet = await openTenant(openVault(t, { dev: false }))
  t.equal((await quiet.send('GET', '/proxy/a')).json.detail, 'there is no such path; /docs lists the paths')
  const vault = openVault(t, { proxyAllowOrigins: ['https://api.example.com'] })
  const tenant = await openTenant(vault)
  t.match(
    (await tenant.send('GET', '/proxy', undefined, url)).json.detail,
    /: allow it by --proxy-allow-origin/,
  )
  const time = await vault.clock.now()
  for (const [id, ms] of [
    ['first', 60_000],
    ['second', 120_000],
  ] as const)
    await tenant.send('POST', '/tokens', {
      id,
      type: 'token',
      data: 1,
      expires_at: new Date(time + ms).toISOString(),
    })
  await vault.clock.advance(90_000)
  const allowed = { 'SVC-PROXY-URL': 'https://api.example.com/a' }
  const asked = [
    () => tenant.send('GET', '/tokens/first'),
    () => tenant.send('POST', '/detokenize', { a: '{{ first }} {{ second }}' }),
    () => tenant.send('POST', '/proxy', { a: '{{ first }}' }, allowed),
  ]
  const says = new RegExp(`: the token expired at ${new Date(time + 60_000).toISOString().slice(0, 19)}`)
  for (const ask of asked) t.match((await ask()).json.detail, says)
  await vault.clock.advance(3_600_000)
  for (const ask of asked.slice(1))
    t.match((await ask()).json.detail, /: the token (first )?expired at /, 'erased')
  const both = await tenant.send('POST', '/detokenize', { a: '{{ first }} {{ second }} {{ third }}' })
  t.match(both.json.detail, /the token first expired at .*, the token second expired at /)
})

t.test('every 400, 403 and 404 has an explanation, and nothing else has', async t => {
  const vault = openVault(t, { now })
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T00:00:10Z' })
  const asked: readonly [number, Reply][] = [
    [400, await tenant.send('POST', '/tokens', { type: 'card', data: { number: '1' } })],
    [400, await tenant.send('POST', '/tokens', { raw: '{' })],
    [404, await tenant.send('GET', '/tokens/unknown')],
    [404, await tenant.send('GET', '/nothing')],
    [403, await tenant.send('GET', '/applications')],
    [400, await tenant.as(tenant.managementKey)('POST', '/_dev/tenant/clock', { advance: 1 })],
  ]
  for (const [status, reply] of asked) {
    t.equal(reply.status, status)
    t.ok(reply.json.explanation, `${status} ${reply.json.detail}`)
  }
  t.equal(asked[0]?.[1].json.explanation.operation, 'tokens.create')
  await vault.clock.advance(60_000)
  const expired = await tenant.send('GET', '/tokens/a-card')
  t.same(expired.json.explanation.reasons, ['the token expired at 2030-01-01T00:00:10.000Z'], 'swept')
  const others: readonly [number, Reply][] = [
    [401, await tenant.as('unknown')('GET', '/tokens')],
    [405, await tenant.send('PUT', '/tokens/x', {})],
    [409, await twice(() => tenant.send('POST', '/tokens', { id: 'twice', type: 'token', data: 1 }))],
    [200, await tenant.send('GET', '/tokens')],
  ]
  for (const [status, reply] of others) {
    t.equal(reply.status, status)
    t.notOk('explanation' in reply.json, String(status))
  }
})

async function twice(send: () => Promise<Reply>): Promise<Reply> {
  await send()
  return send()
}

t.test('a token that has expired and not been swept yet says so', async t => {
  let real = now()
  const tenant = await openTenant(openVault(t, { now: () => real }))
  await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T00:00:10Z' })
  real += 10_000
  const { status, json } = await tenant.send('GET', '/tokens/a-card')
  t.equal(status, 404)
  t.same(json.explanation.reasons, ['the token expired at 2030-01-01T00:00:10.000Z'])
})

t.test(
  'a token that has expired and was swept says so, as long as nothing else became of its id',
  async t => {
    const vault = openVault(t, { storage: 'memory:', now })
    const tenant = await openTenant(vault)
    const other = await openTenant(vault)
    const dev = vault.dev.forTenant(tenant)
    const reasons = async (of = tenant): Promise<string[]> =>
      (await of.send('GET', '/tokens/a-card')).json.explanation.reasons
    const make = async () =>
      t.equal(
        (await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T03:00:00Z' })).status,
        201,
      )
    await make()
    const before = await dev.snapshot()
    await dev.tenantClock.advance('3h')
    t.same(await reasons(), ['the token expired at 2030-01-01T03:00:00.000Z'])
    t.equal(
      (await tenant.send('PATCH', '/tokens/a-card', {})).json.explanation.reasons.length,
      1,
      'any operation',
    )
    t.same(await reasons(other), [], 'of its tenant only')
    await dev.restore(before)
    await tenant.send('DELETE', '/tokens/a-card')
    t.same(await reasons(), [], 'it was deleted')
    await dev.restore(before)
    await dev.tenantClock.advance('3h')
    t.equal((await reasons()).length, 1)
    const { id: _, ...another } = card
    t.equal((await tenant.send('POST', '/tokens', another)).status, 201)
  },
)

t.test('a condition on the id and one on the container are told apart', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', { ...card, containers: ['/pci/high/'] })
  const isIn = { attribute: 'container', operator: 'starts_with', value: '/pci/' }
  const isElsewhere = { ...isIn, value: '/shop/' }
  const isOther = { attribute: 'id', operator: 'equals', value: 'another' }
  const isIt = { ...isOther, value: card.id }
  for (const [conditions, lacking] of [
    [[isOther, isIn], 'the id of the token'],
    [[isIt, isElsewhere], '/pci/high/'],
    [[isOther, isElsewhere], 'the id of the token, /pci/high/'],
  ] as const) {
    const rule = { priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }
    const limited = await tenant.application({ rules: [rule] } as never)
    const { json } = await limited('GET', '/tokens/a-card')
    t.match(json.explanation.rules[0].reason, new RegExp(`, and not ${lacking}$`))
  }
})

t.test('a search that finds nothing says which condition excludes how many', async t => {
  const tenant = await openTenant(openVault(t))
  for (const [id, color] of [
    ['a-1', 'red'],
    ['a-2', 'red'],
    ['a-3', 'blue'],
  ] as const) {
    await tenant.send('POST', '/tokens', {
      id,
      type: 'token',
      data: 1,
      metadata: { color },
      containers: ['/a/'],
    })
  }
  await tenant.send('POST', '/tokens', { id: 'b-1', type: 'token', data: 1, containers: ['/b/'] })
  const limited = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:search'] }],
  })
  const search = async (query: string) => (await limited('POST', '/tokens/search', { query })).json
  const query = 'metadata.color:green AND type:token AND NOT id:a-1'
  t.same((await search(query)).explanation, {
    tokens: 4,
    searchable: 3,
    conditions: [
      { condition: 'metadata', excludes: 3 },
      { condition: 'type', excludes: 0 },
      { condition: 'NOT id', excludes: 1 },
    ],
  })
  t.same((await search('id:b-1 OR data:secret')).explanation.conditions, [
    { condition: '(id OR data)', excludes: 3 },
  ])
  const found = await search('metadata.color:red')
  t.equal(found.pagination.total_items, 2)
  t.notOk('explanation' in found)
})

t.test('no condition excludes fewer than no tokens while others are written', async t => {
  const tenant = await openTenant(openVault(t))
  const query = `${Array.from({ length: 19 }, () => 'type:token').join(' AND ')} AND id:unknown`
  const repeat = async (send: (n: number) => Promise<Reply>) => {
    const statuses = new Set<number>()
    for (let n = 0; n < 50; n++) statuses.add((await send(n)).status)
    return [...statuses]
  }
  const [searched, created] = await Promise.all([
    repeat(() => tenant.send('POST', '/tokens/search', { query })),
    repeat(n => tenant.send('POST', '/tokens', { id: `t-${n}`, type: 'token', data: 1 })),
  ])
  t.same(searched, [200])
  t.same(created, [201])
})

t.test('without dev nothing is explained, by the same requests', async t => {
  for (const dev of [true, false]) {
    const vault = openVault(t, { dev })
    const tenant = await openTenant(vault)
    await tenant.send('POST', '/tokens', card)
    const limited = await tenant.application({ permissions: ['token:search'] })
    const replies = [
      await limited('GET', '/tokens/a-card'),
      await tenant.send('GET', '/tokens/unknown'),
      await tenant.send('POST', '/tokens', { type: 'card', data: {} }),
      await limited('POST', '/tokens/search', { query: 'id:unknown' }),
    ]
    t.same(
      replies.map(({ status }) => status),
      [403, 404, 400, 200],
    )
    for (const { json } of replies) t.equal('explanation' in json, dev)
  }
})

t.test('no explanation contains data of a token or a value that was searched for', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', { ...card, metadata: { customer: 'a-canary' } })
  const limited = await tenant.application({ permissions: ['token:search'] })
  const replies = [
    await limited('GET', '/tokens/a-card'),
    await limited('POST', '/tokens/search', {
      query: `data:${number} AND metadata.customer:a-canary AND id:x`,
    }),
    await tenant.send('POST', '/tokens', { type: 'card', data: { number, cvc: 'a-canary' } }),
  ]
  for (const { json } of replies) {
    const text = JSON.stringify(json.explanation)
    t.ok(text.length > 10)
    t.notMatch(withoutIds(text), /4242|canary/)
  }
})
