import t from 'tap'
import type { Operation } from './contract.ts'
import { Router } from './routes.ts'

const operation = (id: string, method: string, path: string) => ({ id, method, path }) as Operation
const router = new Router([
  operation('list', 'GET', '/tokens'),
  operation('create', 'POST', '/tokens'),
  operation('search', 'POST', '/tokens/search'),
  operation('get', 'GET', '/tokens/{id}'),
  operation('react', 'POST', '/reactors/{id}/react'),
])

t.test('a path leads to its operation, with its parameters as sent', async t => {
  t.match(router.match('GET', '/tokens'), { operation: { id: 'list' }, parameters: {} })
  t.match(router.match('GET', '/tokens/a%2Fb'), { operation: { id: 'get' }, parameters: { id: 'a%2Fb' } })
  t.match(router.match('POST', '/reactors/r/react'), { operation: { id: 'react' }, parameters: { id: 'r' } })
})

t.test('a slash at the end makes no difference, two do', async t => {
  t.match(router.match('GET', '/tokens/'), { operation: { id: 'list' } })
  t.match(router.match('GET', '/tokens/x/'), { operation: { id: 'get' }, parameters: { id: 'x' } })
  t.throws(() => router.match('GET', '/tokens//'), { code: 'not_found' })
  t.throws(() => router.match('GET', '//tokens'), { code: 'not_found' })
})

t.test('a literal segment goes before a parameter', async t => {
  t.match(router.match('POST', '/tokens/search'), { operation: { id: 'search' } })
})

t.test('where a literal does not take the method, the parameter beside it may', async t => {
  t.match(router.match('GET', '/tokens/search'), { operation: { id: 'get' }, parameters: { id: 'search' } })
  t.throws(() => router.match('DELETE', '/tokens/search'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, POST' },
  })
})

t.test('a path that is not there is a 404, a method that is not there a 405 that says which are', async t => {
  for (const path of ['/', '', '/nothing', '/reactors', '/tokens/a/b']) {
    t.throws(() => router.match('GET', path), { code: 'not_found' }, path)
  }
  t.throws(() => router.match('DELETE', '/tokens'), {
    code: 'method_not_allowed',
    headers: { Allow: 'GET, POST' },
  })
})
