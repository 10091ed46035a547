import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { Intake } from './intake.ts'

/** Connections whose parsers take this long for each piece. */
function connections(pieceMs: number) {
  let nowMs = 0
  const intake = new Intake(() => nowMs)
  const order: string[] = []
  const connect = (name: string, mostPieces = Number.POSITIVE_INFINITY) => {
    const socket = new PassThrough({ highWaterMark: 2 ** 20 })
    const parsed: Buffer[] = []
    socket.on('data', (piece: Buffer) => {
      order.push(name)
      parsed.push(piece)
      nowMs += pieceMs
    })
    intake.attach(socket, name, () => parsed.length >= mostPieces)
    const bytes = () => Buffer.concat(parsed)
    const until = async (count: number) => {
      while (bytes().length < count) await turn()
    }
    return { socket, parsed, bytes, until }
  }
  return { connect, order }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

t.test('peers take turns, piece by piece, when many send at the same moment', async t => {
  const { connect, order } = connections(10)
  const all = ['crowd', 'crowd', 'crowd', 'alone'].map(name => connect(name))
  for (const { socket } of all) socket.write(Buffer.alloc(16 * 1024))
  await Promise.all(all.map(({ until }) => until(16 * 1024)))
  const last = order.lastIndexOf('alone')
  t.equal(order.length, 8)
  t.ok(last < 5, `the last piece of who is alone was parsed after ${last} others`)
})

t.test('as much is parsed in an iteration as is quick', async t => {
  const { connect, order } = connections(0)
  const all = ['a', 'b', 'c'].map(name => connect(name))
  for (const { socket } of all) socket.write(Buffer.alloc(16 * 1024))
  await turn()
  t.equal(order.length, 6)
  const slow = connections(10)
  const others = ['a', 'b', 'c'].map(name => slow.connect(name))
  for (const { socket } of others) socket.write(Buffer.alloc(16 * 1024))
  await turn()
  t.ok(slow.order.length < 3, 'the control, where each piece takes long')
})

t.test('nothing is parsed after the end, whatever has arrived', async t => {
  for (const pieceMs of [0, 10]) {
    const { connect } = connections(pieceMs)
    const ended = connect('a', 1)
    const other = connect('b')
    for (const { socket } of [ended, other]) socket.write(Buffer.alloc(64 * 1024))
    await other.until(64 * 1024)
    ended.socket.write('more')
    await turn()
    t.equal(ended.parsed.length, 1)
  }
})

t.test('all bytes are parsed, in order, however they arrive', async t => {
  const chunk = fc.uint8Array({ maxLength: 20_000 }).map(bytes => Buffer.from(bytes))
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 8 }),
      fc.constantFrom(0, 3, 10),
      async (chunks, pieceMs) => {
        const { connect } = connections(pieceMs)
        const connection = connect('a')
        for (const chunk of chunks) {
          connection.socket.write(chunk)
          if (chunk.length % 2 === 0) await turn()
        }
        const all = Buffer.concat(chunks)
        await connection.until(all.length)
        return connection.bytes().equals(all) && connection.parsed.every(({ length }) => length <= 8 * 1024)
      },
    ),
    { numRuns: 30 },
  )
  t.pass()
})
