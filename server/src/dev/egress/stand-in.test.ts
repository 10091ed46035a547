import t from 'tap'
import { OutgoingRequests } from '../../egress/exchange.ts'
import { turns } from '../_dev.ts'
import { Faults } from '../faults.ts'
import type { AnswerFunction } from './functions.ts'
import { StandIn } from './stand-in.ts'
import { shownOrigin, shownUrl, UrlPattern } from './url-pattern.ts'

const url = new URL('https://api.example.com/')
const by = { tenant: 'a' }

function openStandIn(respond: AnswerFunction) {
  const standIn = new StandIn({
    faults: new Faults(),
    functions: new Map([['f', respond]]),
    inbox: { receive: async () => 200 },
    nowMs: () => 0,
    traceOf: () => undefined,
    unanswered: () => {},
  })
  standIn.answers.add('a', { url: url.href, answer: { function: 'f' } })
  const exchanges = new OutgoingRequests({ around: network => standIn.around('formula', network) })
  return { standIn, exchanges }
}

const sent = { url, method: 'GET', headers: {}, accepts: () => false, isOffline: true }

t.test('an exchange ends by its deadline, whatever a function of a test does', async t => {
  const { exchanges } = openStandIn(() => new Promise(() => {}))
  await t.rejects(exchanges.begin({ by, timeoutMs: 1 }).send(sent), { name: 'EgressError', reason: 'time' })
  t.equal(exchanges.open, 0)
})

t.test('a delay ends with the exchange, and with the answers', async t => {
  const { standIn, exchanges } = openStandIn(() => ({ latency: 60_000 }))
  await t.rejects(exchanges.begin({ by, timeoutMs: 1 }).send(sent), { name: 'EgressError', reason: 'time' })
  const exchange = exchanges.begin({ by, timeoutMs: 60_000 })
  const waiting = exchange.send(sent)
  await turns()
  standIn.endWaits()
  t.equal((await waiting).status, 200)
  exchange.end()
})

t.test('any body is recorded in a bounded shape', async t => {
  const { standIn, exchanges } = openStandIn(({ body }) => ({ body: typeof body }))
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const many = Array.from({ length: 5000 }, (_, at) => `a${at}=1`).join('&')
  for (const [text, headers, kind] of [
    ['{"a":[1,null]}', {}, 'object'],
    ['['.repeat(500_000), {}, 'string'],
    ['{"__proto__":1}', {}, 'string'],
    ['{"a":1,"a":2}', {}, 'string'],
    [many, form, 'object'],
    [many, {}, 'string'],
    ['\xff\x00', {}, 'string'],
  ] as const) {
    const exchange = exchanges.begin({ by, timeoutMs: 60_000 })
    const { body } = await exchange.send({
      ...sent,
      method: 'POST',
      headers,
      body: Buffer.from(text, 'latin1'),
    })
    let answer = ''
    for await (const piece of body(100)) answer += Buffer.from(piece)
    t.equal(answer, kind, text.slice(0, 20))
  }
  const { body } = await standIn.handlers()['dev.egressRequests.list']({ tenant: 'a', query: {} } as never)
  const shown = body.data.map(one => JSON.stringify(one.body))
  t.match(shown, ['{"a":["number(1)",null]}', '"string(500000)"', '"string(15)"', '"string(13)"'])
  t.ok((shown[4]?.length ?? 0) < 40_000, 'of many members so many are kept')
})

t.test('what nobody may send goes nowhere, also without anything around the network', async t => {
  const resolve = async () => t.fail('nothing to look up') as never
  const exchange = new OutgoingRequests({ resolve }).begin({ by, timeoutMs: 5000 })
  await t.rejects(exchange.send(sent), { name: 'EgressError', reason: 'policy' })
})

t.test('patterns of URLs match in linear time, and show no value', async t => {
  const matches = (pattern: string, given: string) => new UrlPattern(pattern).matches(new URL(given))
  for (const [pattern, given, expected] of [
    ['https://a.example', 'https://a.example/b?c', true],
    ['https://A.example:443/', 'https://a.example/b', true],
    ['http://a.example', 'https://a.example/', false],
    ['https://a.example', 'https://a.example.org/', false],
    ['https://a.example/b', 'https://a.example/b/', false],
    ['https://a.example/b*', 'https://a.example/b/', true],
    ['https://a.example/*b', 'https://a.example/b', true],
    ['https://a.example/b*b', 'https://a.example/b', false],
    ['https://a.example/*a*a*', 'https://a.example/a', false],
    ['https://a.example/*a*a*', 'https://a.example/ba/ac', true],
    [`https://a.example/${'*a'.repeat(900)}*b`, `https://a.example/${'a'.repeat(8000)}`, false],
  ] as const)
    t.equal(matches(pattern, given), expected, `${pattern.slice(0, 40)} ${given.slice(0, 40)}`)
  t.equal(
    shownUrl('https://a.example/v1/payment_intents/pi_1/*?a=b'),
    'https://a.example/v1/payment_intents/string(4)/*',
  )
  t.equal(shownOrigin('https://u4242424242424242.a.example:8443'), 'https://string(17).a.example:8443')
})
