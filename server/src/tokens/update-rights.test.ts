import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type Send, type TestTenant } from '../../verify/support/vault.ts'

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

/** Each member as it would read the data, and as it would only put back a default. */
const expressions: readonly [member: string, value: unknown][] = [
  ['mask', '{{ data }}'],
  ['mask', { a: '{{ data }}' }],
  ['mask', null],
  ['fingerprint_expression', '{{ data }}'],
  ['fingerprint_expression', null],
  ['search_indexes', ['{{ data }}']],
  ['search_indexes', []],
  ['search_indexes', null],
]

const made = async (tenant: TestTenant, members: object = {}) =>
  (await makeToken(tenant, { type: 'social_security_number', data: secret, ...members } as never)) as string

async function callersWithRight(tenant: TestTenant): Promise<[name: string, send: Send][]> {
  return [
    ['private, directly', await tenant.application({ permissions: update })],
    ['private, by a rule that reveals', await tenant.application({ rules: [rule('reveal')] })],
    [
      'private, by a rule that reveals before one that masks',
      await tenant.application({ rules: [rule('mask', '/', 2), rule('reveal', '/pii/')] }),
    ],
    [
      'private, directly, where a rule that masks is about other tokens',
      await tenant.application({ permissions: update, rules: [rule('mask', '/elsewhere/')] }),
    ],
  ]
}

t.test('who reads the data by token:update sets expressions', async t => {
  const tenant = await openTenant(vault)
  for (const [who, send] of await callersWithRight(tenant)) {
    for (const [member, value] of expressions) {
      const id = await made(tenant)
      const reply = await send('PATCH', `/tokens/${id}`, { [member]: value } as never)
      t.equal(reply.status, 200, `${who}: ${member} ${JSON.stringify(value)} ${reply.text}`)
    }
  }
})

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

t.test('a refusal is the same as for a missing token, or without any right to it', async t => {
  const tenant = await openTenant(vault)
  const id = await made(tenant, { containers: ['/other/'] })
  const masking = await tenant.application({ rules: [rule('mask', '/pii/')] })
  const patch = { mask: '{{ data }}' }
  t.equal((await masking('PATCH', '/tokens/nothing', patch)).status, 404)
  const elsewhere = await masking('PATCH', `/tokens/${id}`, patch)
  t.equal(elsewhere.status, 403)
  t.notOk('errors' in elsewhere.json, 'the right to the token comes first')
})

t.test('a move to where there is no right is refused before anything is evaluated', async t => {
  const tenant = await openTenant(vault)
  const id = await made(tenant, { containers: ['/open/'] })
  const send = await tenant.application({ rules: [rule('reveal', '/open/')] })
  const patch = { mask: '{{ data | nope }}' }
  t.equal((await send('PATCH', `/tokens/${id}`, { ...patch, containers: ['/else/'] })).status, 403)
  t.equal((await send('PATCH', `/tokens/${id}`, { ...patch, containers: ['/open/'] })).status, 400, 'control')
})

t.test('the answer shows what the mask before the update shows of the new data', async t => {
  const tenant = await openTenant(vault)
  const direct = await tenant.application({ permissions: update })
  const revealing = await tenant.application({ rules: [rule('reveal')] })
  const id = await made(tenant)
  const patch = { data: '987-65-4321', mask: '{{ data }}' }
  const { json } = await direct('PATCH', `/tokens/${id}`, patch)
  t.equal(json.data, 'XXX-XX-4321')
  t.equal(json.mask, '{{ data }}', 'the new mask is there')
  t.equal(
    (await direct('PATCH', `/tokens/${id}`, {})).json.data,
    '987-65-4321',
    'and the next answer shows it',
  )

  const none = await makeToken(tenant, { type: 'token', data: 'hidden' })
  const unmasked = await direct('PATCH', `/tokens/${none}`, { mask: '{{ data }}' })
  t.equal(unmasked.status, 200)
  t.notOk('data' in unmasked.json, 'a token that had no mask shows nothing')

  const members = await makeToken(tenant, {
    type: 'token',
    data: { a: 'aaaa' },
    mask: { a: '{{ data.a | last4 }}' },
  })
  const failing = await direct('PATCH', `/tokens/${members}`, {
    data: { a: { b: 1 }, c: 2 },
    mask: { a: null, c: '{{ data.c }}' },
  })
  t.equal(failing.status, 200)
  t.same(failing.json.data, {}, 'what the old mask cannot show is left out')

  const shown = await revealing('PATCH', `/tokens/${id}`, { mask: 'X' })
  t.equal(shown.json.data, '987-65-4321', 'control: a rule that reveals')
})

t.test('the answer shows what a read by the same caller shows then', async t => {
  const tenant = await openTenant(vault)
  const reads = (transform: string, container = '/', priority = 3) => ({
    priority,
    container,
    transform,
    permissions: ['token:read'],
  })
  const callers: [name: string, send: Send][] = [
    ['both directly', await tenant.application({ permissions: ['token:update', 'token:read'] })],
    ['reads whole', await tenant.application({ permissions: update, rules: [reads('reveal')] })],
    ['reads no data', await tenant.application({ permissions: update, rules: [reads('redact')] })],
    ['updates whole, reads masked', await tenant.application({ rules: [rule('reveal'), reads('mask')] })],
    [
      'reads where the token is moved to',
      await tenant.application({
        permissions: update,
        rules: [reads('redact', '/pii/'), reads('mask', '/moved/', 4)],
      }),
    ],
  ]
  const patches = [
    { metadata: { a: 'b' } },
    { data: '987-65-4321', mask: '{{ data | slice: 0, 6 }}' },
    { mask: '{{ data }}' },
    { containers: ['/moved/'], mask: 'X' },
  ]
  for (const [who, send] of callers) {
    const id = await made(tenant)
    for (const patch of patches) {
      const headers = { 'SVC-IDEMPOTENCY-KEY': JSON.stringify(patch) + id }
      const reply = await send('PATCH', `/tokens/${id}`, patch, headers)
      const read = await send('GET', `/tokens/${id}`)
      t.equal(read.status, 200)
      t.same(reply.json, read.json, `${who}: ${JSON.stringify(patch)}`)
      t.same((await send('PATCH', `/tokens/${id}`, patch, headers)).json, read.json, `${who}, repeated`)
    }
  }

  const elsewhere = await tenant.application({ permissions: update, rules: [reads('reveal', '/moved/')] })
  const id = await made(tenant)
  const unread = await elsewhere('PATCH', `/tokens/${id}`, { mask: '{{ data }}' })
  t.equal(unread.json.data, 'XXX-XX-6789', 'control: it reads tokens, but not this one')
})

t.test('a repeated update shows no more than the first answer', async t => {
  const tenant = await openTenant(vault)
  const application = await tenant.application({ permissions: update })
  const keyed = { 'SVC-IDEMPOTENCY-KEY': 'one' }
  const patchOf = (id: string, mask: unknown) => () =>
    application('PATCH', `/tokens/${id}`, { mask } as never, keyed)
  const id = await made(tenant)
  const patch = patchOf(id, '{{ data }}')
  t.equal((await patch()).json.data, 'XXX-XX-6789')
  t.same((await patch()).json, (await patch()).json)
  t.equal((await patch()).json.data, 'XXX-XX-6789')
  await tenant.send('PATCH', `/tokens/${id}`, { data: '987-65-4321' })
  t.equal((await patch()).json.data, 'XXX-XX-4321', 'of the data as it is now')

  const put = (rights: object) =>
    tenant.asManagement('PUT', `/applications/${application.id}`, { name: 'Test', ...rights } as never)
  await put({ rules: [rule('mask')] })
  const lost = await patch()
  t.equal(lost.status, 403, 'rights are those of the moment')
  t.same(Object.keys(lost.json.errors), ['mask'])
  await put({ rules: [rule('reveal')] })
  t.equal((await patch()).json.data, '987-65-4321')

  await put({ permissions: update })
  const none = await makeToken(tenant, { type: 'token', data: 'hidden' })
  const unmasked = () =>
    application('PATCH', `/tokens/${none}`, { mask: '{{ data }}' }, { 'SVC-IDEMPOTENCY-KEY': 'two' })
  for (const reply of [await unmasked(), await unmasked()]) {
    t.equal(reply.status, 200)
    t.notOk('data' in reply.json)
  }
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
