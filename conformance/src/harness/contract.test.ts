import tap from 'tap'
import { contract } from '../../selftest/_reference.ts'
import type { Reply } from './target.ts'

const token = {
  id: 'a-token',
  tenant_id: '5b493235-6917-4307-906a-2cd6f1a90b13',
  type: 'token',
  containers: ['/a/'],
  created_by: '5b493235-6917-4307-906a-2cd6f1a90b13',
  created_at: '2030-01-31T09:30:00.123456Z',
}
const problem = {
  type: 'urn:surrogate:error:not_found',
  title: 't',
  status: 404,
  detail: 'd',
  instance: '/x',
}

function answer(status: number, body: unknown, type = 'application/json', trace = 'trace'): Reply {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = new Headers(type === '' ? {} : { 'Content-Type': type })
  if (trace !== '') headers.set('SVC-TRACE-ID', trace)
  return { status, headers, text, body }
}
/** A success without a body. */
const accepted = (requestBody: string): Reply => {
  const { status, headers, text, body } = answer(200, undefined, '')
  const sent = { method: 'POST', path: '/reactors/x/react', requestHeaders: {}, operation: 'reactors.react' }
  return { status, headers, text, body, exchange: { ...sent, requestBody, status, headers, text } }
}
const complaining = (method: string, path: string, reply: Reply) =>
  [
    ...new Set(contract.complaints(contract.operationOf(method, path), reply, 'SVC').map(one => one.profile)),
  ].sort()
const problemType = 'application/problem+json'

tap.test('core parts of the contract are checked in both profiles, the rest in surrogate only', async t => {
  const none: string[] = []
  const [both, rest] = [['core', 'surrogate'], ['surrogate']]
  for (const [what, method, path, reply, expected] of [
    ['a token', 'GET', '/tokens/a', answer(200, token), none],
    ['another success', 'GET', '/tokens/a', answer(203, token), rest],
    ['no trace id', 'GET', '/tokens/a', answer(200, token, 'application/json', ''), rest],
    ['an unknown member', 'GET', '/tokens/a', answer(200, { ...token, more: 1 }), none],
    ['an unknown type', 'GET', '/tokens/a', answer(200, { ...token, type: 'unknown' }), rest],
    [
      'an ISO 8601 date that RFC 3339 does not allow',
      'GET',
      '/tokens/a',
      answer(200, { ...token, created_at: '2030-01-31' }),
      rest,
    ],
    ['a malformed date', 'GET', '/tokens/a', answer(200, { ...token, created_at: 'today' }), both],
    ['a missing member', 'GET', '/tokens/a', answer(200, { ...token, tenant_id: undefined }), both],
    ['no JSON', 'GET', '/tokens/a', { ...answer(200, undefined), text: '<html>' }, both],
    ['a list', 'GET', '/tokens', answer(200, { pagination: {}, data: [token] }), rest],
    ['a malformed list', 'GET', '/tokens', answer(200, { data: [token] }), both],
    [
      'a list with a malformed token',
      'POST',
      '/tokens/search',
      answer(200, { pagination: {}, data: [{}] }),
      both,
    ],
    ['a problem', 'GET', '/tokens/a', answer(404, problem, problemType), none],
    ['another error', 'GET', '/tokens/a', answer(410, problem, problemType), rest],
    ['an error of another form', 'GET', '/tokens/a', answer(404, { message: 'no' }), rest],
    [
      'a problem with an unknown member',
      'GET',
      '/tokens/a',
      answer(404, { ...problem, stack: 'x' }, problemType),
      none,
    ],
    ['a server error', 'GET', '/tokens/a', answer(500, { ...problem, status: 500 }, problemType), ['core']],
    [
      'an accepted invocation without a body',
      'POST',
      '/reactors/x/react',
      accepted('{"args":{},"callback_url":"https://a.example/"}'),
      rest,
    ],
    ['an invocation without a body', 'POST', '/reactors/x/react', accepted('{"args":{}}'), both],
    ['a redirect', 'GET', '/tokens/a', answer(302, undefined), both],
    ['no body', 'DELETE', '/tokens/a', answer(204, undefined, ''), none],
    ['a body', 'DELETE', '/tokens/a', answer(204, {}), both],
    [
      'a failed formula',
      'POST',
      '/reactors/x/react',
      answer(500, { ...problem, status: 500 }, problemType),
      none,
    ],
    ['a redirect that a formula chose', 'POST', '/reactors/x/react', answer(302, { a: 1 }), none],
    ['a status without a body', 'POST', '/reactors/x/react', answer(205, undefined, ''), none],
    ['a status that allows no body', 'POST', '/reactors/x/react', answer(205, {}), rest],
    ['a status that a formula chose', 'POST', '/reactors/x/react', answer(418, { tea: true }), none],
    ['an unknown method', 'PUT', '/tokens', answer(405, { ...problem, status: 405 }, problemType), none],
    ['an unknown method without a problem', 'PUT', '/tokens', answer(405, {}), rest],
  ] as const) {
    t.same(complaining(method, path, reply), expected, what)
  }
})

tap.test('unknown members are found on request, in a token, in a list and in a problem', async t => {
  const unknown = (path: string, status: number, body: object) =>
    contract.unknownMember('GET', path, answer(status, body))
  t.equal(unknown('/tokens/a', 200, token), undefined)
  t.match(unknown('/tokens/a', 200, { ...token, more: 1 }), /\(more\)/)
  t.equal(unknown('/tokens/a', 404, problem), undefined)
  t.match(unknown('/tokens/a', 404, { ...problem, stack: 'x' }), /\(stack\)/)
  const pagination = { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 }
  t.equal(unknown('/tokens', 200, { pagination, data: [token] }), undefined)
  t.match(unknown('/tokens', 200, { pagination, data: [{ ...token, more: 1 }] }), /\(more\)/)
})

tap.test('a path with a fixed segment is not matched as a path with an id', async t => {
  t.equal(contract.operationOf('POST', '/tokens/search?x=1')?.id, 'tokens.search')
  t.equal(contract.operationOf('GET', '/applications/key')?.id, 'applications.getByKey')
  // `GET /tokens/search` may be a read of the token `search`, or a method that this path does not support.
  for (const [method, path] of [
    ['GET', '/tokens/search'],
    ['PUT', '/applications/key'],
  ] as const)
    t.equal(contract.operationOf(method, path), undefined, `${method} ${path}`)
  t.equal(contract.operationOf('GET', '/tokens/search1')?.id, 'tokens.get')
  t.equal(contract.operationOf('GET', '/tokens/')?.id, 'tokens.list')
  t.equal(contract.operationOf('GET', '/none'), undefined)
})
