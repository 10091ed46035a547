import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

/** Limits on the work and the result of one payload. */
const vault = openVault(t)

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

t.test('at most 100 different tokens', async t => {
  const tenant = await openTenant(vault)
  const ids: string[] = (
    await tenant.send(
      'POST',
      '/tokenize',
      Array.from({ length: 100 }, (_, index) => index),
    )
  ).json
  const payload = ids.map(id => `{{ ${id} }}`)
  t.same(await detokenized(tenant.send, [...payload, ...payload, payload.join('')]), [
    ...ids.keys(),
    ...ids.keys(),
    [...ids.keys()].join(''),
  ])
  const over = await tenant.send('POST', '/detokenize', [...payload, { more: '{{ one-more }}' }])
  t.equal(over.status, 400)
  t.match(over.json.errors, { body: [/100/] })
})

t.test('what comes of a payload is bounded, however small it is', async t => {
  const tenant = await openTenant(vault)
  const id = await create(tenant, { data: 'x'.repeat(500_000) })
  const times = (count: number, text: string) => Array.from({ length: count }, () => text)
  t.equal((await tenant.send('POST', '/detokenize', times(10, `{{ ${id} }}`))).status, 200)
  for (const text of [`{{ ${id} }}`, `-{{ ${id} }}`, `{{ ${id} | upcase }}`]) {
    const { status } = await tenant.send('POST', '/detokenize', times(2_000, text))
    t.equal(status, 400, text.slice(-20))
  }
  const joined = await tenant.send('POST', '/detokenize', [times(10_000, `{{ ${id} }}`).join('')])
  t.match(joined.json.errors, { body: [/5242880/] })
  const most = [...times(9, `{{ ${id} }}`), 'y'.repeat(740_000)]
  t.equal((await tenant.send('POST', '/detokenize', most)).status, 200)
  t.equal(
    (await tenant.send('POST', '/detokenize', [...most, 'z'.repeat(10_000)])).status,
    400,
    'with the rest',
  )
  const quotes = await create(tenant, { data: '"'.repeat(300_000) })
  t.equal(
    (await tenant.send('POST', '/detokenize', times(9, `{{ ${quotes} }}`))).status,
    400,
    'as JSON writes it',
  )
  t.equal((await tenant.send('POST', '/detokenize', times(8, `{{ ${quotes} }}`))).status, 200)
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
    for (const payload of [Array(times).fill(expression), [expression.repeat(times)]]) {
      const reply = await tenant.send('POST', '/detokenize', payload)
      t.equal(reply.status, status, `${times} times`)
      if (status === 400) t.ok(Object.keys(reply.json.errors).length <= 100)
    }
  }
  const own = [`{{ ${small} | json: '$.constructor' }}`, `{{ ${small} | append: data.constructor }}`]
  t.same(await detokenized(tenant.send, own), [null, '{"a":[1,2]}'], 'only members of the data are reached')
})

t.test('the tokens that one payload names are bounded together, whatever is taken of them', async t => {
  const tenant = await openTenant(vault)
  const made: string[] = []
  for (let count = 0; count < 17; count++) {
    made.push(await create(tenant, { data: { small: count, large: 'x'.repeat(1_000_000) } }))
  }
  const payload = made.map(id => `{{ ${id} | json: '$.small' }}`)
  t.same(
    await detokenized(tenant.send, payload.slice(1)),
    Array.from({ length: 16 }, (_, n) => n + 1),
  )
  const { status, json } = await tenant.send('POST', '/detokenize', payload)
  t.equal(status, 400)
  t.match(json.errors, { body: [/more than 16777216 bytes together/] })
})
