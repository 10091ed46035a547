import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
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
  const found = await detokenized(tenant.send, ['{{   both   }}', '{{ trailing  }}'])
  t.same(found, ['of   both  ', 'of trailing '])
  const { json } = await tenant.send('POST', '/detokenize', ['{{   both   }}', '{{ both }}'])
  t.match(json.detail, /: both$/, 'a spelling without the blanks does not mean it')
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

t.test('hostile filters end soon, and together', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { data: 'x'.repeat(50_000) })
  const small = await create(tenant, { data: { a: [1, 2] } })
  const costly = `{{ ${id} ${"| replace: 'x', 'y' | replace: 'y', 'x' ".repeat(20)} }}`
  const cases: [string, number, number][] = [
    [`{{ ${id} | size }}`, 1, 200],
    [`{{ ${id} | size }}`, 900, 400],
    [`{{ ${small} | size }}`, 1_000, 200],
    [`{{ ${small} | size }}`, 1_001, 400],
    [costly, 900, 400],
  ]
  for (const [expression, times, status] of cases) {
    // The same text twice is evaluated once.
    const different = Array.from({ length: times }, (_, n) =>
      expression.replace(' }}', ` | append: '${n}' }}`),
    )
    for (const payload of [different, [expression.repeat(times)]]) {
      const reply = await tenant.send('POST', '/detokenize', payload)
      t.equal(reply.status, status, `${times} times`)
      if (status === 400) t.ok(Object.keys(reply.json.errors).length <= 100)
    }
  }
  const own = [`{{ ${small} | json: '$.constructor' }}`, `{{ ${small} | append: data.constructor }}`]
  t.same(await detokenized(tenant.send, own), [null, '{"a":[1,2]}'], 'only members of the data are reached')
})
