import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import tap, { type Test } from 'tap'
import { openRoundRobin } from './round-robin.ts'

async function replica(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Longer than what fits into the buffers on the way. */
const long = 'x'.repeat(1_100_000)

const post = (url: string, body: string) => fetch(url, { method: 'POST', body })

tap.test('requests go to the replicas in turn, unchanged in both directions', async t => {
  const named = (name: string) =>
    replica(t, async (asked, answer) => {
      answer.setHeader('X-Replica', name).writeHead(201)
      answer.end(`${asked.method} ${asked.url} ${(await text(asked)).length}`)
    })
  const { url, counts } = await openRoundRobin(t, [await named('one'), await named('other')])
  for (const name of ['one', 'other', 'one']) {
    const answer = await post(`${url}/path?query`, long)
    t.equal(answer.status, 201)
    t.equal(answer.headers.get('x-replica'), name)
    t.equal(await answer.text(), `POST /path?query ${long.length}`)
  }
  t.same(counts, [2, 1])
})

tap.test('a replica that refuses a body unread does not block the next request of its caller', async t => {
  const strict = await replica(t, async (asked, answer) => {
    if (Number(asked.headers['content-length']) > 100) {
      // To hang up at once might take the answer along.
      asked.socket.destroySoon = () => asked.socket.end()
      asked.resume()
      answer.writeHead(413, { Connection: 'close' }).end('too long')
    } else answer.end(await text(asked))
  })
  const { url } = await openRoundRobin(t, [strict])
  for (let round = 0; round < 20; round++) {
    const refused = await post(url, long)
    t.equal(refused.status, 413)
    t.equal(await refused.text(), 'too long')
    t.equal(await (await post(url, 'short')).text(), 'short')
  }
})

tap.test('a missing replica is a 502, and the others continue', async t => {
  const there = await replica(t, (_asked, answer) => answer.end('there'))
  const { url } = await openRoundRobin(t, ['http://127.0.0.1:1', there])
  t.equal((await fetch(url)).status, 502)
  t.equal(await (await fetch(url)).text(), 'there')
})
