import t from 'tap'
import type { Operation } from '../../contract/contract.ts'
import { Router } from './routes.ts'

const operation = (id: string, method: string, path: string, uuids: string[] = []) =>
  ({ id, method, path, uuidParameters: uuids }) as Partial<Operation> as Operation
const router = new Router([
  operation('list', 'GET', '/tokens'),
  operation('create', 'POST', '/tokens'),
  operation('search', 'POST', '/tokens/search'),
  operation('get', 'GET', '/tokens/{id}'),
  operation('react', 'POST', '/reactors/{id}/react'),
  operation('getByKey', 'GET', '/applications/key'),
  operation('getApplication', 'GET', '/applications/{id}', ['id']),
  operation('updateApplication', 'PUT', '/applications/{id}', ['id']),
  operation('regenerate', 'POST', '/applications/{id}/regenerate', ['id']),
])

t.test('a path is matched to its operation, with its parameters as sent', async t => {
  t.match(router.match('GET', '/tokens'), { operation: { id: 'list' }, parameters: {} })
  t.match(router.match('GET', '/tokens/a%2Fb'), { operation: { id: 'get' }, parameters: { id: 'a%2Fb' } })
  t.match(router.match('POST', '/reactors/r/react'), { operation: { id: 'react' }, parameters: { id: 'r' } })
})

t.test('one slash at the end is ignored, two are not', async t => {
  t.match(router.match('GET', '/tokens/'), { operation: { id: 'list' } })
  t.match(router.match('GET', '/tokens/x/'), { operation: { id: 'get' }, parameters: { id: 'x' } })
  t.throws(() => router.match('GET', '/tokens//'), { code: 'not_found' })
  t.throws(() => router.match('GET', '//tokens'), { code: 'not_found' })
})

t.test('a literal segment takes precedence over a parameter', async t => {
  t.match(router.match('POST', '/tokens/search'), { operation: { id: 'search' } })
})

t.test('if the literal does not have the method, the parameter is used', async t => {
  t.match(router.match('GET', '/tokens/search'), { operation: { id: 'get' }, parameters: { id: 'search' } })
  t.throws(() => router.match('DELETE', '/tokens/search'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, POST' },
  })
})

t.test('a literal is never the value of a parameter that is a UUID', async t => {
  t.match(router.match('GET', '/applications/key'), { operation: { id: 'getByKey' } })
  t.match(router.match('PUT', '/applications/kex'), { operation: { id: 'updateApplication' } })
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = { code: 'method_not_allowed', headers: { Allow: 'GET' } }
    t.throws(() => router.match(method, '/applications/key'), refused, method)
    t.throws(() => router.match(method, '/applications/key/'), refused, method)
  }
  t.throws(() => router.match('POST', '/applications/kex'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, PUT' },
  })
  t.throws(() => router.match('POST', '/applications/key/regenerate'), { code: 'not_found' })
  t.match(router.match('POST', '/applications/kex/regenerate'), { operation: { id: 'regenerate' } })
})

t.test('an unknown path is a 404, an unknown method a 405 with Allow', async t => {
  for (const path of ['/', '', '/nothing', '/reactors', '/tokens/a/b']) {
    t.throws(() => router.match('GET', path), { code: 'not_found' }, path)
  }
  t.throws(() => router.match('DELETE', '/tokens'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, POST' },
  })
})
