import t from 'tap'
import { openReceiver } from '../../verify/support/receiver.ts'
import { Admission } from '../base/flow/admission.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { OutgoingRequests } from './exchange.ts'

const by = { tenant: 't' }

t.test('a literal address is checked like a resolved one', async t => {
  const receiver = await openReceiver(t)
  const asked: string[] = []
  const exchanges = new OutgoingRequests({ resolve: async () => t.fail('nothing to look up') as never })
  const send = (host: string, isAllowed: boolean) =>
    exchanges.begin({ by, timeoutMs: 5000 }).send({
      url: new URL(`http://${host}:${receiver.port}/`),
      method: 'GET',
      headers: {},
      accepts: address => {
        asked.push(address)
        return isAllowed
      },
    })
  for (const host of ['127.0.0.1', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
    await t.rejects(send(host, false), { name: 'EgressError', reason: 'refused' }, host)
  }
  t.same(asked, ['127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', '::ffff:7f00:1'])
  t.equal(receiver.received.length, 0)
  t.equal((await send('127.0.0.1', true)).status, 200, 'control')
  exchanges.close()
  t.equal(exchanges.open, 0)
})

const to = (url: string) => ({ url: new URL(url), method: 'GET', headers: {}, accepts: () => true })

t.test('an exchange that its user forgets ends by its deadline, at whatever point it is', async t => {
  const silent = await openReceiver(t, () => undefined)
  const complete = await openReceiver(t, (_, response) => void response.end('x'.repeat(50_000)))
  const exchanges = new OutgoingRequests({ admission: new Admission({ total: 9, tenant: 3 }) })
  const begin = () => exchanges.begin({ by, timeoutMs: 1000 })
  begin()
  const unanswered = begin().send(to(silent.origin))
  const unread = await begin().send(to(complete.origin))
  t.equal(unread.status, 200)
  t.equal(exchanges.open, 3)
  t.throws(begin, { name: 'EgressError', reason: 'limit' })
  await t.rejects(unanswered, { name: 'EgressError', reason: 'time' })
  for (let turn = 0; exchanges.open > 0 && turn < 100_000; turn++) await nextTurn()
  t.equal(exchanges.open, 0)
  const read = async () => {
    for await (const piece of unread.body(100_000)) t.ok(piece)
  }
  await t.rejects(
    read(),
    { name: 'EgressError', reason: 'time' },
    'what was cut off is not taken for the whole',
  )

  const { body } = await exchanges.begin({ by, timeoutMs: 10_000 }).send(to(complete.origin))
  const pieces = body(100_000)[Symbol.asyncIterator]()
  let bytes = 0
  for await (const piece of { [Symbol.asyncIterator]: () => pieces }) bytes += piece.length
  t.equal(bytes, 50_000, 'control: read in time')
  t.match(await pieces.next(), { done: true }, 'and the end is no failure')
  t.equal(exchanges.open, 0)
})

t.test('a further request ends the one before', async t => {
  const silent = await openReceiver(t, () => undefined)
  const receiver = await openReceiver(t)
  const exchange = new OutgoingRequests().begin({ by, timeoutMs: 10_000 })
  const first = t.rejects(exchange.send(to(silent.origin)), { name: 'EgressError', reason: 'network' })
  await silent.arrived(1)
  t.equal((await exchange.send(to(receiver.origin))).status, 200)
  await first
  exchange.end()
})

t.test(
  'an exchange ends with its signal, also with one that is aborted already, and with all others',
  async t => {
    const silent = await openReceiver(t, () => undefined)
    const exchanges = new OutgoingRequests()
    const over = new AbortController()
    const ended = (signal?: AbortSignal) =>
      t.rejects(exchanges.begin({ by, timeoutMs: 5000, signal }).send(to(silent.origin)), {
        name: 'EgressError',
      })
    const first = ended(over.signal)
    await silent.arrived(1)
    over.abort()
    await first
    await ended(over.signal)
    t.equal(silent.received.length, 1)
    const last = ended()
    await silent.arrived(2)
    exchanges.close()
    await last
    t.equal(exchanges.open, 0)
  },
)
