import t from 'tap'
import { isOrigin, isOriginPattern, OriginSet } from './origins.ts'

const origins = [
  'https://app.example.com',
  'http://localhost:4000',
  'http://[::1]:4000',
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
]
const others = [
  'https://a.test/',
  'https://a.test/path',
  'https://A.test',
  'https://a.test:443',
  'https://u@a.test',
  'a.test',
  'null',
  'file://',
  'mailto:a@b',
  'https://',
  '',
]

t.test('an origin is a scheme, a host and perhaps a port, of any program', async t => {
  for (const one of origins) t.ok(isOrigin(one) && isOriginPattern(one), one)
  for (const one of others) t.notOk(isOrigin(one) || isOriginPattern(one), one)
})

t.test('the wildcard stands for the first labels of a host and nothing else', async t => {
  for (const one of ['https://*.shop.example', 'http://*.localhost:4000']) {
    t.ok(isOriginPattern(one), one)
    t.notOk(isOrigin(one), one)
  }
  const wrong = ['https://*', 'https://a.*.test', 'https://*a.test', 'https://*.*.test', '*.shop.example']
  for (const one of [...wrong, 'https://*.10.0.0.1', 'https://a.test:*', '*://a.test'])
    t.notOk(isOriginPattern(one), one)
})

t.test('a pattern has all subdomains of one scheme and port, and not the domain itself', async t => {
  const set = new OriginSet(['https://*.shop.example', 'https://*.de.shop.example', 'https://a.test'])
  const pattern = 'https://*.shop.example'
  for (const [origin, found] of [
    ['https://a.shop.example', pattern],
    ['https://a.b.shop.example', pattern],
    ['https://a.de.shop.example', 'https://*.de.shop.example'],
    ['https://a.test', 'https://a.test'],
    ['https://shop.example', undefined],
    ['https://evilshop.example', undefined],
    ['https://a.shop.example.evil.test', undefined],
    ['http://a.shop.example', undefined],
    ['https://a.shop.example:8443', undefined],
    ['https://b.a.test', undefined],
    ['null', undefined],
    [`https://${'a.'.repeat(8000)}shop.example`, undefined],
  ] as const)
    t.equal(set.find(origin), found, origin)
  t.equal(new OriginSet(['https://a.test']).find('https://b.a.test'), undefined, 'without a pattern')
})
