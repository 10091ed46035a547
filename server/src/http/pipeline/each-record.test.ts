import t from 'tap'
import { openTenant, openVault, type Send, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

const card = { type: 'card', data: { number: '4242424242424242' } }
const wrongCard = { type: 'card', data: { number: '4242424242424241' } }

const each = (send: Send, path: string, body: JsonValue, headers?: Record<string, string>) =>
  send('POST', `${path}?outcome=each`, body, headers)
const statusesIn = ({ json }: Awaited<ReturnType<Send>>): number[] =>
  json.results.map(({ status }: { status: number }) => status)

/** Returns the entries of an application about tokens, the oldest first. */
async function entriesOf(tenant: TestTenant, actor: string) {
  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=token&size=100')).json
  return data
    .filter(({ actor_id }: { actor_id: string }) => actor_id === actor)
    .map((entry: Record<string, unknown>) => [entry.operation, entry.outcome, entry.entity_id ?? 'none'])
    .reverse()
}

t.test('each record is tokenized on its own, whatever becomes of the others', async t => {
  const tenant = await openTenant(openVault(t))
  const records = [
    card,
    wrongCard,
    { deep: ['bare', { ...card, id: 'given' }] },
    { ...card, id: 'given' },
    null,
    [card, wrongCard],
  ]
  const reply = await each(tenant.send, '/tokenize', records)
  t.equal(reply.status, 207)
  t.same(statusesIn(reply), [200, 400, 200, 409, 400, 400])
  const [first, second, third, fourth, , sixth] = reply.json.results
  t.match(first.body, { type: 'card', data: { number: 'XXXXXXXXXXXX4242' } })
  t.equal(first.problem, undefined)
  t.match(second.problem, { status: 400, errors: { 'data.number': [/Luhn/] } })
  t.equal(second.body, undefined)
  t.match(third.body.deep, [/^[\w-]{36}$/, { id: 'given' }])
  t.match(fourth.problem.type, /conflict/)
  t.match(Object.keys(sixth.problem.errors), ['1.data.number'], 'paths within the record')
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 3, 'a record is all or nothing')
  t.notMatch(reply.text, /4242424242424241/)
})

t.test('each record is detokenized on its own', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', { type: 'token', data: { a: 1 }, id: 'one', containers: ['/a/'] })
  await tenant.send('POST', '/tokens', { type: 'token', data: 'hidden', id: 'two', containers: ['/b/'] })
  const limited = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:use'] }],
  })
  const records = [
    '{{ one }}',
    '{{ two }}',
    ['{{ none }}'],
    '{{ malformed',
    { plain: true },
    'x{{ one | json: "$.a" }}',
  ]
  const reply = await each(limited, '/detokenize', records)
  t.same(statusesIn(reply), [200, 403, 400, 400, 200, 200])
  const { results } = reply.json
  t.same(
    [0, 4, 5].map(at => results[at].body),
    [{ a: 1 }, { plain: true }, 'x1'],
  )
  t.match(results[2].problem.detail, /none$/)
  t.notMatch(reply.text, /hidden/)
})

t.test('a refused record says, and leaves in the log, what a request of its own would', async t => {
  const tenant = await openTenant(openVault(t))
  for (const [id, container] of [
    ['own', '/a/'],
    ['other', '/b/'],
    ['more', '/b/'],
  ])
    await tenant.send('POST', '/tokens', {
      type: 'token',
      data: `data of ${id}`,
      id: id ?? '',
      containers: [container ?? ''],
    })
  const rights = {
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:delete', 'token:use'] }],
  }
  const [single, many] = [await tenant.application(rights), await tenant.application(rights)]
  // What differs between two requests of two applications.
  const withoutOrigin = ({ instance: _, explanation, ...problem }: Record<string, unknown>) => ({
    ...problem,
    explanation: { ...(explanation as object | undefined), application: '' },
  })
  for (const [path, record] of [
    ['/detokenize', '{{ other }}'],
    ['/detokenize', '{{ none }}'],
  ] as const) {
    const alone = await single('POST', path, record as JsonValue)
    const [outcome] = (await each(many, path, [record])).json.results
    t.equal(outcome.status, alone.status, `${path} ${JSON.stringify(record)}`)
    t.same(withoutOrigin(outcome.problem), withoutOrigin(alone.json))
  }
  t.ok((await entriesOf(tenant, many.id)).length > 0)
  t.same(await entriesOf(tenant, many.id), await entriesOf(tenant, single.id))
})

t.test('what concerns the whole request is refused as a whole', async t => {
  const tenant = await openTenant(openVault(t))
  const limited = await tenant.application({ permissions: ['token:read'] })
  const hundred = Array.from({ length: 100 }, () => 1)
  t.equal((await each(tenant.send, '/tokenize', hundred)).status, 207, 'the control')
  for (const body of [{ a: 1 }, 'x', [], [...hundred, 1]]) {
    const refused = await each(tenant.send, '/tokenize', body)
    t.match(refused, { status: 400, json: { errors: { body: [/list of 1 to 100 records/] } } })
  }
  t.match(await tenant.send('POST', '/tokenize?outcome=some', [1]), {
    status: 400,
    json: { errors: { outcome: [] } },
  })
  t.equal((await each(limited, '/tokenize', [1])).status, 403)
  t.equal((await tenant.send('POST', '/tokenize?outcome=all', [1])).status, 200, 'the default')
  t.equal(
    (await each(tenant.send, '/tokens', { type: 'token', data: 1 })).status,
    201,
    'an operation without records',
  )
})

t.test('a repeated request does the records that failed, and shows the others again', async t => {
  const tenant = await openTenant(openVault(t))
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'key' }
  const taken = { type: 'token', data: 1, id: 'taken' }
  await tenant.send('POST', '/tokens', taken)
  const records = [card, taken, 'bare']
  const first = await each(tenant.send, '/tokenize', records, headers)
  t.same(statusesIn(first), [200, 409, 200])
  await tenant.send('DELETE', '/tokens/taken')
  const again = await each(tenant.send, '/tokenize', records, headers)
  t.same(statusesIn(again), [200, 200, 200])
  t.same([again.json.results[0], again.json.results[2]], [first.json.results[0], first.json.results[2]])
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 3)
  const other = await each(tenant.send, '/tokenize', ['other', taken, 'bare'], headers)
  t.same(statusesIn(other), [422, 200, 200], 'a record with another body')
})

t.test('records are not begun when the results are too long, and say so', async t => {
  const tenant = await openTenant(openVault(t))
  const made = await tenant.send('POST', '/tokens', { type: 'token', data: 'x'.repeat(1_000_000) })
  const records = Array.from({ length: 10 }, () => `{{ ${made.json.id} }}`)
  const reply = await each(tenant.send, '/detokenize', records)
  t.same(statusesIn(reply), [200, 200, 200, 200, 200, 200, 413, 413, 413, 413])
  t.match(reply.json.results[6].problem, { type: /payload_too_large/, detail: /send this record again/ })
})
