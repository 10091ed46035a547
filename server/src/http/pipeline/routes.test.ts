import t from 'tap'
import { Backend } from '../../contract/backend.ts'
import { toOperation } from '../../contract/operation.ts'
import { Router } from './routes.ts'

const operation = (operationId: string) => ({ operationId, responses: {} })
const uuid = [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }]
const { router: matcher } = new Backend(
  {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: {
      '/tokens': { get: operation('list'), post: operation('create') },
      '/tokens/search': { post: operation('search') },
      '/tokens/{id}': { get: operation('get') },
      '/reactors/{id}/react': { post: operation('react') },
      '/applications/key': { get: operation('getByKey') },
      '/applications/{id}': {
        parameters: uuid,
        get: operation('getApplication'),
        put: operation('updateApplication'),
      },
      '/applications/{id}/regenerate': { parameters: uuid, post: operation('regenerate') },
    },
  } as never,
  { thorough: false },
)
const router = new Router(matcher, matcher.getOperations().map(toOperation))

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
  for (const path of ['/', '', '/-', '/nothing', '/reactors', '/tokens/a/b', '/tokens/search/key'])
    t.throws(() => router.match('GET', path), { code: 'not_found' }, path)
  t.throws(() => router.match('DELETE', '/tokens'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, POST' },
  })
})
