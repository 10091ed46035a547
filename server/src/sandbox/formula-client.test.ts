import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import { FormulaModuleRefused } from './modules/bundle.ts'

const adapter = `
  module.exports = (client, { camelCase, snakeCase }) => {
    const call = method => (...given) =>
      method(...given.map(one => snakeCase(one))).then(
        one => camelCase(one),
        error => { throw Object.assign(error, { data: camelCase(error.problem) }) },
      )
    return { vault: { store: call(token => client.tokens.create(token)), fetch: call(id => client.tokens.get(id)) } }
  }`

const service = async (request: { path: string; body?: Uint8Array }) =>
  request.path === '/tokens'
    ? {
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          id: 'a',
          created_by: 'b',
          data: JSON.parse(`${Buffer.from(request.body ?? [])}`),
        }),
      }
    : {
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
        body: '{"title":"No","status":404,"trace_id":"t"}',
      }

t.test('formulas get the client that the adapter makes', async t => {
  const moduleRoot = t.testdir({ 'client.cjs': adapter })
  const sandbox = openSandbox(t, { client: 'client.cjs', moduleRoot })
  await sandbox.checkModules()
  const code = body(`
    const made = await req.svc.vault.store({ type: 'token', data: { ownName: 1 }, deduplicateToken: true })
    const { data } = await req.svc.vault.fetch('missing').catch(error => error)
    return { raw: [made, data, req.svc.tokens === undefined] }`)
  t.same(await sandbox.raw(code, { svc: service }), [
    { id: 'a', createdBy: 'b', data: { type: 'token', data: { ownName: 1 }, deduplicate_token: true } },
    { title: 'No', status: 404, traceId: 't' },
    true,
  ])
  t.equal(await sandbox.raw(body('return { raw: req.svc }')), null, 'no client, no adapter')
})

t.test('the adapter keeps nothing for the next invocation, and has no further rights', async t => {
  const moduleRoot = t.testdir({
    'client.cjs': `let calls = 0
      module.exports = client => ({
        count: () => ++calls,
        reach: () => [typeof process.binding, typeof process.env.PATH, globalThis.constructor === Object],
        call: () => fetch('http://a.test').catch(error => error.message),
      })`,
  })
  const sandbox = openSandbox(t, { client: './client.cjs', moduleRoot })
  const code = body('return { raw: [req.svc.count(), req.svc.reach(), await req.svc.call()] }')
  const answer = [
    1,
    ['undefined', 'undefined', true],
    'fetch is not available: the operator allows no origin',
  ]
  t.same(await sandbox.raw(code, { svc: service }), answer)
  t.same(await sandbox.raw(code, { svc: service }), answer)
})

t.test('an adapter that cannot be used is refused in one sentence', async t => {
  const moduleRoot = t.testdir({
    'throws.cjs': `throw new Error('no such thing')`,
    'object.cjs': 'module.exports = {}',
    'works.cjs': 'module.exports = client => client',
    'syntax.cjs': 'module.exports = client =>',
  })
  const refused: readonly [file: string, says: RegExp][] = [
    ['missing.cjs', /the formula client missing.cjs cannot be used: Could not resolve/],
    ['syntax.cjs', /the formula client syntax.cjs cannot be used: /],
    ['throws.cjs', /the modules or the client of formulas cannot be loaded: /],
    ['object.cjs', /the formula client exports no function/],
  ]
  for (const [client, says] of refused) {
    const error = await openSandbox(t, { client, moduleRoot })
      .checkModules()
      .catch(error => error)
    t.ok(error instanceof FormulaModuleRefused, client)
    t.match(error.message, says)
  }
  await openSandbox(t, { client: 'works.cjs', moduleRoot }).checkModules()
})
