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
