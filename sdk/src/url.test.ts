import t from 'tap'
import { checkedBaseUrl, fillPath, queryString } from './url.ts'

t.test('a base URL loses the slash at its end and keeps its path', async t => {
  t.equal(checkedBaseUrl('http://127.0.0.1:4000/'), 'http://127.0.0.1:4000')
  t.equal(checkedBaseUrl('https://example.org/vault//'), 'https://example.org/vault')
})

for (const baseUrl of [
  '',
  'example.org',
  '/vault',
  'ftp://example.org',
  'https://a:b@example.org',
  'https://a.org/?b',
]) {
  t.test(`"${baseUrl}" is refused as a base URL`, async t =>
    t.throws(() => checkedBaseUrl(baseUrl), TypeError),
  )
}

t.test('an id is encoded, so that it stays one segment of the path', async t => {
  t.equal(fillPath('/tokens/{id}', { id: 'a b/../c?d' }), '/tokens/a%20b%2F..%2Fc%3Fd')
  t.equal(fillPath('/reactors/{id}/react', { id: '...' }), '/reactors/.../react')
  const keys = '/applications/{id}/keys/{key_id}'
  t.equal(fillPath(keys, { id: 'a', key_id: '{id}' }), '/applications/a/keys/%7Bid%7D')
  t.throws(() => fillPath(keys, { id: 'a', key_id: '..' }), /key_id/)
})

for (const id of ['', '.', '..', undefined, 7]) {
  t.test(`${JSON.stringify(id)} is refused as an id`, async t => {
    t.throws(() => fillPath('/tokens/{id}', { id }), TypeError)
  })
}

t.test('lists become repeated parameters, maps one for each entry, undefined members none', async t => {
  t.equal(queryString({}), '')
  t.equal(queryString({ page: undefined }), '')
  t.equal(queryString({ id: ['a', 'b&c'], page: 2 }), '?id=a&id=b%26c&page=2')
  t.equal(queryString({ metadata: { 'k.1': 'v 1', k2: 'v+2' } }), '?metadata.k.1=v+1&metadata.k2=v%2B2')
})

t.test('a filter without a value is refused, not left out', async t => {
  t.throws(() => queryString({ id: [] }), { name: 'TypeError', message: /^id must be set or left out/ })
  t.throws(() => queryString({ id: ['a', undefined] }), TypeError)
  t.throws(() => queryString({ metadata: { customer: undefined } }), {
    message: /^metadata\.customer must/,
  })
})
