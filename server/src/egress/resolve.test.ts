import { createSocket } from 'node:dgram'
import type { LookupOptions } from 'node:dns'
import { once } from 'node:events'
import t from 'tap'
import { isPublicAddress } from './addresses.ts'
import { dnsResolve, guardedLookup, type Resolve } from './resolve.ts'

const publicOne = { address: '93.184.215.14', family: 4 }
const publicSix = { address: '2606:4700::1', family: 6 }
const privateOne = { address: '10.0.0.1', family: 4 }

/** Returns the addresses that a socket would connect to. */
function ask(resolve: Resolve, options: LookupOptions = { all: true }) {
  return new Promise<unknown>((given, fail) => {
    guardedLookup(resolve, isPublicAddress)('api.test', options, (error, address, family) => {
      if (error) fail(error)
      else given(options.all ? address : { address, family })
    })
  })
}

t.test('a socket gets the accepted addresses only', async t => {
  const mixed: Resolve = async () => [privateOne, publicOne, publicSix]
  t.same(await ask(mixed), [publicOne, publicSix])
  t.same(await ask(mixed, {}), publicOne)
  await t.rejects(
    ask(async () => [privateOne]),
    { name: 'EgressError', reason: 'refused' },
  )
  await t.rejects(
    ask(async () => []),
    { name: 'EgressError', reason: 'refused' },
  )
})

t.test('a name is checked each time it is resolved', async t => {
  const answers = [[publicOne], [privateOne], [publicSix]]
  const rebinding: Resolve = async () => answers.shift() ?? []
  t.same(await ask(rebinding), [publicOne])
  await t.rejects(ask(rebinding), { name: 'EgressError', reason: 'refused' })
  t.same(await ask(rebinding), [publicSix])
  t.equal(answers.length, 0, 'each time, the address is resolved once')
})

/** Opens a name server that knows one name, says that a second does not exist, and is silent on all others. */
async function openNameServer(t: { teardown(task: () => unknown): void }) {
  const server = createSocket('udp4')
  let silent = 0
  server.on('message', (query, { port, address }) => {
    const isKnown = query.includes('known')
    if (!isKnown && !query.includes('missing')) return void silent++
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const isIPv6 = question.at(-3) === 28
    const rdata = isIPv6 ? [0, 16, 0x26, 0x06, 0x47, 0, ...Array(11).fill(0), 1] : [0, 4, 93, 184, 215, 14]
    const answer = [0xc0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 60, ...rdata]
    const head = [...query.subarray(0, 2), 0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, isKnown ? 1 : 0, 0, 0, 0, 0]
    server.send(Buffer.from([...head, ...question, ...(isKnown ? answer : [])]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { servers: [`127.0.0.1:${server.address().port}`], silent: () => silent }
}

t.test('names without an answer do not keep others from being resolved', async t => {
  const { servers, silent } = await openNameServer(t)
  const resolve = dnsResolve(servers, 500)
  const unanswered = Array.from({ length: 50 }, (_, at) => resolve(`silent-${at}.test`))
  const all = Promise.allSettled(unanswered)
  t.same(await resolve('known.test'), [publicOne, publicSix])
  await t.rejects(resolve('missing.test'), { name: 'EgressError', reason: 'network' })
  t.ok(silent() >= 100, 'while the others wait')
  t.ok(
    (await all).every(({ status }) => status === 'rejected'),
    'which end, too',
  )
})
