import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import { withoutIds } from '../../../verify/support/without-ids.ts'
import type { JsonValue } from '../../base/json/json.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 }

async function create(tenant: TestTenant, body: object): Promise<string> {
  const { status, json } = await tenant.send('POST', '/tokens', { type: 'token', ...body })
  if (status !== 201) throw new Error(JSON.stringify(json))
  return json.id
}

/** Detokenizes a payload. */
async function detokenized(send: TestTenant['send'], payload: JsonValue): Promise<JsonValue> {
  const { status, text } = await send('POST', '/detokenize', { raw: JSON.stringify(payload) })
  if (status !== 200) throw new Error(text)
  return JSON.parse(text)
}

t.test('expressions are found at any depth; values other than strings are unchanged', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { type: 'card', data: card })
  const payload = (value: JsonValue) => ({
    list: [
      value,
      [{ deep: value }],
      1.5,
      true,
      false,
      null,
      {},
      [],
      'plain',
      '{% plain %}',
      '{"a":{"b":{}}}',
    ],
    [`{{ ${id} }}`]: 'names of members are left alone',
  })
  t.same(await detokenized(tenant.send, payload(`{{ ${id} }}`)), payload(card))
  for (const whole of [`{{ ${id} }}`, `{{${id}}}`, `{{\n${id} }}`])
    t.same(await detokenized(tenant.send, whole), card)
  for (const plain of [5, true, 'text', [], {}]) t.same(await detokenized(tenant.send, plain), plain)
})

t.test('a whole text becomes the value with its type, in longer text it is put in as text', async t => {
  const tenant = await openTenant(vault)
  const values: [JsonValue, string][] = [
    ['text', 'text'],
    ['', ''],
    [0.1, '0.1'],
    [false, 'false'],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [[1, 'x'], '[1,"x"]'],
  ]
  for (const [value, text] of values) {
    const id = await create(tenant, { data: value })
    const payload = [`{{ ${id} }}`, ` {{ ${id} }}`, `a{{ ${id} }}b{{${id}}}`]
    t.same(await detokenized(tenant.send, payload), [value, ` ${text}`, `a${text}b${text}`])
  }
})

t.test('a reference can stand for the whole token', async t => {
  const tenant = await openTenant(vault)
  const metadata = { customer: 'c-1' }
  const id = await create(tenant, { type: 'card', data: card, metadata })
  const bare = await create(tenant, { data: 'a' })
  const spaced = await create(tenant, { id: 'token: spaced', data: 'b' })
  const whole = { id, type: 'card', data: card, metadata }
  const cases: [string, JsonValue][] = [
    [`{{ token: ${id} }}`, whole],
    [`{{token: ${id}}} {{ ${id} | json: '$.number' }}`, `${JSON.stringify(whole)} ${card.number}`],
    [`{{ token: ${id} | json: '$.data.number' }}`, card.number],
    [`{{ token: ${id} | json: '$.data.expiration_month' }}`, 12],
    [`{{ token: ${id} | json: '$.metadata.customer' | upcase }}`, 'C-1'],
    [`{{ token: ${id} | json: '$.type' }}`, 'card'],
    [`{{ token: ${id} | json: '$.fingerprint' }}`, null],
    [`{{ token: ${bare} }}`, { id: bare, type: 'token', data: 'a', metadata: {} }],
    [`{{ token: ${spaced} | json: '$.data' }}`, 'b'],
  ]
  for (const [expression, value] of cases)
    t.same(await detokenized(tenant.send, expression), value, expression)
  const unknown = await tenant.send('POST', '/detokenize', { json: ['{{ token: unknown }}'] })
  t.match(unknown, { status: 400, json: { detail: 'Failed to detokenize some tokens: unknown' } })
})

t.test('filters apply', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { type: 'card', data: card })
  const text = await create(tenant, { data: 'Sensitive Value' })
  const cases: [string, JsonValue][] = [
    [`{{ ${id} | json: '$.number' }}`, card.number],
    [`{{ ${id} | json: '$.expiration_month' }}`, 12],
    [`{{ ${id} | json: '$.nothing' }}`, null],
    [`Number {{ ${id} | json: '$.number' | last4 }}, {{ ${id} | json: '$.nothing' }}.`, 'Number 4242, .'],
    [`{{ ${text} | reveal_last: 4 }}`, 'XXXXXXXXXXXalue'],
    [`{{ ${text} | split: ' ' }}`, ['Sensitive', 'Value']],
    [`{{ ${text} | append: '}}' | prepend: "{{" }}`, '{{Sensitive Value}}'],
    [`{{ ${text} | append: data }}`, 'Sensitive ValueSensitive Value'],
  ]
  for (const [expression, value] of cases)
    t.same(await detokenized(tenant.send, expression), value, expression)
})

t.test('one pass: what comes out of a token is never read as an expression', async t => {
  const tenant = await openTenant(vault)
  const secret = await create(tenant, { data: 'secret', containers: ['/hidden/'] })
  const id = await create(tenant, { data: `{{ ${secret} }}` })
  const opening = await create(tenant, { data: '{{' })
  const payload = [
    `{{ ${id} }}`,
    `-{{ ${id} }}-`,
    `{{ ${id} | append: '' }}`,
    `{{ ${opening} }} ${secret} }}`,
  ]
  const inside = `{{ ${secret} }}`
  t.same(await detokenized(tenant.send, payload), [inside, `-${inside}-`, inside, `{{ ${secret} }}`])
})

t.test('ids of any spelling are found', async t => {
  const tenant = await openTenant(vault)
  const ids = [
    'with spaces in it',
    'dotted.name',
    'a:b:c',
    `it's`,
    '"quoted"',
    `"half`,
    'data',
    'json: $.a',
    '日本-ключ-🗝',
    '- minus -',
    'a, (b); c!',
    'x'.repeat(400),
    ' leading',
    'trailing ',
    '  both  ',
    'UPPER',
    '\u00a0nbsp\u00a0',
    '   ',
  ]
  for (const id of ids) {
    await create(tenant, { id, data: `of ${id}` })
    t.equal(await detokenized(tenant.send, `{{ ${id} }}`), `of ${id}`, `"${id}"`)
    t.equal(await detokenized(tenant.send, `{{ ${id} | append: '!' }}`), `of ${id}!`, `"${id}" with a filter`)
  }
  await create(tenant, { id: 'leading', data: 'the other' })
  t.same(
    await detokenized(tenant.send, ['{{  leading }}', '{{ leading }}', '{{  leading  }}']),
    Array(3).fill('the other'),
    'blanks are not part of an id as long as there is one without them',
  )
  t.equal((await tenant.send('POST', '/detokenize', ['{{ upper }}'])).status, 400, 'case counts')
  t.same(await detokenized(tenant.send, ['{{   both   }}', '{{ trailing  }}']), [
    'of   both  ',
    'of trailing ',
  ])
  const { json } = await tenant.send('POST', '/detokenize', ['{{   both   }}', '{{ both }}'])
  t.match(json.detail, /: both$/, 'a spelling without the blanks does not mean it')
})

t.test('every id that fails is named, and nothing else', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const other = await openTenant(own)
  const fine = await create(tenant, { data: 1 })
  const foreign = await create(other, { data: 1 })
  const expires_at = new Date((await own.clock.now()) + 1_000).toISOString()
  const expired = await create(tenant, { data: 1, expires_at })
  const deleted = await create(tenant, { data: 1 })
  await tenant.send('DELETE', `/tokens/${deleted}`)
  await own.clock.advance(1_000)
  const payload = [
    `{{ ${fine} }}`,
    `{{ ${expired} }} {{ no such }} {{ no such }}`,
    { a: `{{ ${deleted} | last4 }}` },
  ]
  const { status, json } = await tenant.send('POST', '/detokenize', [...payload, `{{ ${foreign} }}`])
  t.equal(status, 400)
  t.match(json, {
    type: 'urn:surrogate:error:detokenize_failed',
    detail: `Failed to detokenize some tokens: ${expired}, no such, ${deleted}, ${foreign}`,
  })
  t.same(await detokenized(tenant.send, [`{{ ${fine} }}`]), [1])
})

t.test('malformed braces and filters are refused with their paths, before anything is looked up', async t => {
  const tenant = await openTenant(vault)
  const { status, json } = await tenant.send('POST', '/detokenize', {
    open: '{{ unknown-id',
    list: ['fine', '{{ }}', '{{ unknown-id | nonsense }}'],
    nested: {
      hyphen: '{{ unknown-id | upcase -}}',
      '4242424242424242': '{{ a/b/c }}',
      last: '{{ unknown-id | }}',
    },
    unknown: '{{ unknown-id }}',
    name: '{{ unknown-id | append: other-id }}',
  })
  t.equal(status, 400)
  t.match(json, { type: 'urn:surrogate:error:validation' })
  const paths = ['open', 'list.1', 'list.2', 'nested.hyphen', 'nested.?', 'nested.last', 'name']
  t.same(Object.keys(json.errors).sort(), paths.sort())
  t.notMatch(withoutIds(JSON.stringify(json)), /unknown-id|4242|a\/b/)
  const root = await tenant.send('POST', '/detokenize', { raw: '"{{"' })
  t.same(Object.keys(root.json.errors), ['body'])
})

t.test('a filter that does not fit its data is refused with its path, and quotes nothing', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { data: 'canary-text' })
  const { status, json } = await tenant.send('POST', '/detokenize', {
    fine: `{{ ${id} | upcase }}`,
    a: [`{{ ${id} | json: '$.x' }}`],
    b: `{{ ${id} | to_number }}`,
  })
  t.equal(status, 400)
  t.same(Object.keys(json.errors), ['a.0', 'b'])
  t.notMatch(JSON.stringify(json), /canary|line 1/)
})

t.test('token:use is asked for every container of every token', async t => {
  const tenant = await openTenant(vault)
  const both = await create(tenant, { data: 'both', containers: ['/a/', '/b/'] })
  const one = await create(tenant, { data: 'one', containers: ['/A/deep/'] })
  const rule = (priority: number, container: string, permission = 'token:use') => ({
    priority,
    container,
    transform: 'reveal',
    permissions: [permission],
  })
  const user = await tenant.application({ rules: [rule(1, '/a/'), rule(2, '/', 'token:read')] })
  t.equal(await detokenized(user, `{{ ${one} }}`), 'one')
  const refused = await user('POST', '/detokenize', [`{{ ${one} }}`, `{{ ${both} }}`])
  t.equal(refused.status, 403)
  t.equal(
    (await user('POST', '/detokenize', [`{{ ${both} }}`, '{{ no-such }}'])).status,
    400,
    '400 goes first',
  )
  const wide = await tenant.application({ rules: [rule(1, '/a/'), rule(2, '/b/')] })
  t.same(await detokenized(wide, [`{{ ${both} }}`]), ['both'])
  const reader = await tenant.application({ rules: [rule(1, '/', 'token:read')] })
  t.equal((await reader('POST', '/detokenize', ['nothing to use'])).status, 403, 'held nowhere')
  t.equal((await tenant.asPublic('POST', '/detokenize', ['x'])).status, 403)
})

t.test('the transform of token:use counts, and filters apply to what it shows', async t => {
  const tenant = await openTenant(vault)
  const masked = await create(tenant, { type: 'card', data: card, containers: ['/pci/', '/shown/'] })
  const plain = await create(tenant, { data: 'no mask' })
  const payload = [
    `{{ ${masked} }}`,
    `-{{ ${masked} | json: '$.number' }}-`,
    `{{ ${plain} }}`,
    `-{{ ${plain} }}-`,
    `{{ ${plain} | upcase | default: 'none' }}`,
    { member: `{{ ${plain} }}` },
  ]
  const under = async (transform: string, permissions = ['token:use']) =>
    detokenized(
      await tenant.application({ rules: [{ priority: 1, container: '/', transform, permissions }] }),
      payload,
    )
  t.same(await under('reveal'), [
    card,
    `-${card.number}-`,
    'no mask',
    '-no mask-',
    'NO MASK',
    { member: 'no mask' },
  ])
  const shown = { ...card, number: 'XXXXXXXXXXXX4242' }
  const none = [null, '--', 'none', { member: null }]
  t.same(await under('mask'), [shown, '-XXXXXXXXXXXX4242-', ...none])
  t.same(await under('redact'), [null, '--', ...none])
  const direct = await tenant.application({ permissions: ['token:use'] })
  t.same(await detokenized(direct, payload[0] as string), shown, 'held directly it masks')
  const mixed = await tenant.application({
    rules: [
      { priority: 1, container: '/shown/', transform: 'reveal', permissions: ['token:use'] },
      { priority: 2, container: '/', transform: 'redact', permissions: ['token:use'] },
    ],
  })
  t.equal(await detokenized(mixed, payload[0] as string), null, 'the strictest of its containers counts')
})

t.test('an idempotency key is ignored', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { data: 1 })
  const send = () => tenant.send('POST', '/detokenize', [`{{ ${id} }}`], { 'SVC-IDEMPOTENCY-KEY': 'one' })
  t.same((await send()).json, [1])
  await tenant.send('PATCH', `/tokens/${id}`, { data: 2 })
  t.same((await send()).json, [2])
})

t.test('a use that reveals leaves an entry in the audit log, a masked one does not', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { data: 1, mask: '*' })
  const masked = await tenant.application({ permissions: ['token:use'] })
  const uses = async () => {
    const { json } = await tenant.asManagement('GET', `/logs?entity_type=token&entity_id=${id}`)
    return json.data.filter((entry: { operation: string }) => entry.operation === 'token:use')
  }
  t.same(await detokenized(masked, [`{{ ${id} }}`]), ['*'])
  t.equal((await uses()).length, 0)
  await detokenized(tenant.send, [`{{ ${id} }} {{ ${id} }}`])
  t.match(await uses(), [{ outcome: 'success', entity_id: id }])
  t.equal((await uses()).length, 1)
})
