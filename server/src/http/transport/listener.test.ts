import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { later } from '../../../verify/support/later.ts'
import { ServiceError } from '../../base/errors.ts'
import { connectionLimits } from '../../base/limits.ts'
import {
  type Bounds,
  core,
  head,
  long,
  open,
  peer,
  shortMs,
  text,
  trickle,
  untilConnections,
} from './_raw-connection.ts'
import { type Listening, Outbox } from './listener.ts'

/**
 * The lifetime of a connection whose peer does nothing, too little, or never closes: no longer than the limits
 * allow. One limit at a time is short, the others are so long that a test would run into its timeout.
 */
const held: readonly {
  readonly name: string
  readonly bounds: Bounds
  readonly sends: string
  readonly trickles?: boolean
  readonly reads?: boolean
  readonly gets?: RegExp
  /** Closed at once, as nothing is left to wait for. */
  readonly ends?: true
}[] = [
  { name: 'that sends nothing', bounds: { headersTimeoutMs: shortMs }, sends: '', gets: /^HTTP\/1\.1 408 / },
  {
    name: 'that sends a second head byte by byte',
    bounds: { headersTimeoutMs: shortMs },
    sends: `${head('GET', '/')}GET / HTTP/1.1\r\nX-A: `,
    trickles: true,
  },
  {
    name: 'refused with 400',
    bounds: {},
    sends: 'hello\r\n\r\n',
    gets: /^HTTP\/1\.1 400 [\s\S]*close/,
    ends: true,
  },
  {
    name: 'answered for the last time',
    bounds: {},
    sends: head('GET', '/', 'Connection: close'),
    gets: /^HTTP\/1\.1 200 [\s\S]*answered$/,
    ends: true,
  },
  {
    name: 'whose body never ends',
    bounds: { headersTimeoutMs: shortMs, requestTimeoutMs: shortMs },
    sends: head('POST', '/read', 'Content-Length: 1000000'),
    trickles: true,
  },
  {
    name: 'that never reads its response',
    bounds: { silenceTimeoutMs: shortMs },
    sends: head('GET', '/long'),
    reads: false,
  },
  {
    name: 'that never reads a response in pieces',
    bounds: { silenceTimeoutMs: shortMs },
    sends: head('GET', '/pieces'),
    reads: false,
  },
  {
    name: 'that is idle',
    bounds: { keepAliveTimeoutMs: shortMs },
    sends: head('GET', '/'),
    gets: /answered$/,
  },
]

for (const { name, bounds, sends, trickles = false, reads = true, gets, ends = false } of held) {
  t.test(`a connection ${name} is closed`, async t => {
    const start = async (listening: Listening) => {
      const caller = peer(t, listening)
      if (!reads) caller.socket.pause()
      await once(caller.socket, 'connect')
      await untilConnections(listening, 1)
      caller.socket.write(sends)
      if (trickles) void trickle(caller.socket)
      return caller
    }
    const lasting = await open(t, {})
    await start(lasting)
    const listening = await open(t, bounds)
    const caller = await start(listening)
    await untilConnections(listening, 0)
    if (gets) await caller.until(gets)
    t.equal(lasting.connections(), ends ? 0 : 1, 'the control, where the limits are long')
  })
}

t.test('a receiver that reads its response gets all of it, in one piece or several', async t => {
  const listening = await open(t, {})
  for (const path of ['/long', '/pieces']) {
    const response = await fetch(`${listening.url}${path}`)
    t.equal((await response.text()).length, 16 * long.length, path)
    t.equal(response.headers.has('content-length'), path === '/long', path)
  }
})

t.test('a piece that fails ends the connection and the generator', async t => {
  let released = 0
  async function* failing() {
    try {
      yield long
      throw new Error('the rest cannot be made')
    } finally {
      released++
    }
  }
  async function* endless() {
    try {
      for (;;) yield long
    } finally {
      released++
    }
  }
  const listening = await open(t, {}, async ({ path }) => ({
    status: 200,
    headers: { ...text },
    pieces: path === '/failing' ? failing() : endless(),
  }))
  await t.rejects((await fetch(`${listening.url}/failing`)).text(), 'there is no last chunk')
  t.equal(released, 1)
  const { socket } = peer(t, listening)
  socket.write(head('GET', '/endless'))
  await once(socket, 'data')
  socket.destroy()
  await untilConnections(listening, 0)
  while (released < 2) await turn()
  t.pass('a caller that hangs up ends the pieces')
})

t.test('connections beyond the limit are dropped', async t => {
  let connected = 0
  const listening = await open(t, { connections: 2 }, core, () => connected++)
  const kept = [peer(t, listening), peer(t, listening)]
  await untilConnections(listening, 2)
  const surplus = peer(t, listening)
  await once(surplus.socket, 'end')
  for (const one of kept) {
    one.socket.write(head('GET', '/'))
    await one.until(/answered$/)
  }
  t.equal(listening.connections(), 2)
  t.equal(connected, 2, 'each that was not dropped is told')
})

t.test('requests of a connection are begun one after the other, and too many end it', async t => {
  for (const requests of [4, 5]) {
    let begun = 0
    let answer = () => {}
    const listening = await open(t, { pipelinedRequests: 4 }, async () => {
      begun++
      await new Promise<void>(resolve => {
        answer = resolve
      })
      return { status: 200, headers: {}, body: 'answered' }
    })
    const caller = peer(t, listening)
    caller.socket.write(head('GET', '/').repeat(requests))
    for (let count = 1; count <= 4; count++) {
      while (begun < count) await turn()
      for (let quiet = 0; quiet < 20; quiet++) await turn()
      t.equal(begun, count, 'no more are begun')
      answer()
    }
    await caller.until(requests === 4 ? /(answered[\s\S]*){4}/ : /HTTP\/1\.1 429 [\s\S]*\r\n\r\n/)
    t.equal(caller.received().match(/answered/g)?.length, 4)
    await untilConnections(listening, requests === 4 ? 1 : 0)
  }
})

t.test('bodies of a tenant share a half of the budget, until their responses are sent', async t => {
  const half = connectionLimits.bodyBytes / 2
  const held: (() => void)[] = []
  const listening = await open(t, { bodiesBytes: 4 * half }, async request => {
    if (request.path !== '/hold') return core(request)
    await request.readBody(connectionLimits.bodyBytes, 'a')
    await new Promise<void>(resolve => held.push(resolve))
    return { status: 200, headers: { ...text }, body: 'held' }
  })
  const read = async (bytes: number, tenant = 'a') => {
    const init = { method: 'POST', headers: { 'x-tenant': tenant }, body: 'x'.repeat(bytes) }
    return (await fetch(`${listening.url}/read`, init)).status
  }
  const hold = async (count = 1) => {
    const large = peer(t, listening)
    large.socket.write(head('POST', '/hold', `Content-Length: ${half}`) + 'x'.repeat(half))
    while (held.length < count) await turn()
    return large
  }
  const free = async () => {
    while ((await read(half)) === 503) await turn()
  }
  t.equal(await read(half), 200, 'the control')
  await free()
  await hold()
  const answered = await hold(2)
  t.equal(await read(half), 503, 'too much beside the other ones')
  t.equal(await read(64 << 10), 200, 'small ones do not count')
  t.equal(await read(half, 'b'), 200, 'another tenant has a share of its own')
  held.pop()?.()
  await answered.until(/held$/)
  await free()
  t.pass('the bytes of a request are free when it is answered')
  const impatient = await hold(2)
  impatient.socket.destroy()
  await free()
  t.pass('those of a caller that hung up, too')
})

t.test('responses that nobody takes share the budget of bodies', async t => {
  const bytes = 64 << 20
  const listening = await open(t, { bodiesBytes: 2 * bytes + 10 }, async request => {
    try {
      request.holdResponse?.(bytes, 'a')
      return { status: 200, headers: { ...text }, body: Buffer.alloc(bytes) }
    } catch (error) {
      return { status: error instanceof ServiceError ? error.status : 500, headers: {} }
    }
  })
  const ask = async () => {
    const response = await fetch(listening.url)
    await response.arrayBuffer()
    return response.status
  }
  const free = async () => {
    while ((await ask()) === 503) await turn()
  }
  t.equal(await ask(), 200, 'the control')
  await free()
  const unread = peer(t, listening)
  unread.socket.write(head('GET', '/'))
  // Its head has arrived, and the system holds a part of the body only.
  await unread.until(/200 OK/)
  unread.socket.pause()
  t.equal(await ask(), 503, 'too much beside the other one')
  unread.socket.destroy()
  await free()
  t.pass('the bytes of a response are free when its connection ends')
})

t.test('a caller that is gone before its body is read or its response held leaves nothing', async t => {
  const bytes = 1000
  let [begun, gone] = [0, 0]
  const { promise: waits, keep: goOn } = later()
  const outcomes: unknown[] = []
  const listening = await open(t, { bodiesBytes: 2 * bytes }, async request => {
    if (request.path === '/held') {
      request.holdResponse?.(bytes, 'a')
      return { status: 200, headers: {} }
    }
    begun++
    request.onClose?.(() => gone++)
    await waits
    if (request.method === 'POST') outcomes.push(await request.readBody(bytes, 'a').catch(({ code }) => code))
    else request.holdResponse?.(bytes, 'a')
    return { status: 200, headers: {} }
  })
  const callers = [`${head('POST', '/', 'Content-Length: 3')}abc`, head('GET', '/'), head('GET', '/')].map(
    text => {
      const caller = peer(t, listening)
      caller.socket.write(text)
      return caller
    },
  )
  while (begun < callers.length) await turn()
  for (const { socket } of callers) socket.destroy()
  while (gone < callers.length) await turn()
  goOn()
  while (outcomes.length === 0) await turn()
  t.same(outcomes, ['malformed_json'])
  t.equal((await fetch(`${listening.url}/held`)).status, 200, 'the budget is whole')
})

t.test('an upgrade is ignored, and CONNECT is refused', async t => {
  const listening = await open(t, {})
  const offering = peer(t, listening)
  offering.socket.write(head('GET', '/', 'Connection: upgrade', 'Upgrade: websocket'))
  t.match(await offering.until(/answered$/), /^HTTP\/1\.1 200 /)
  const tunnelling = peer(t, listening)
  tunnelling.socket.write(head('CONNECT', 'example.org:443'))
  await once(tunnelling.socket, 'end')
  t.equal(tunnelling.received(), '')
})

t.test('a draining server ends each connection after its response, and still accepts others', async t => {
  const listening = await open(t, {})
  const idle = peer(t, listening)
  idle.socket.write(head('GET', '/'))
  t.notMatch(await idle.until(/answered$/), /Connection: close/)
  listening.drain()
  idle.socket.write(head('GET', '/'))
  t.match(await idle.until(/answered[\s\S]*answered$/), /Connection: close/)
  await untilConnections(listening, 0)
  const later = peer(t, listening)
  later.socket.write(head('GET', '/'))
  t.match(await later.until(/answered$/), /Connection: close/)
})

t.test('a closing server answers what is on its way: on idle connections, and on new ones', async t => {
  // Long enough for a busy machine.
  const listening = await open(t, { closeHoldMs: 500, closeGraceMs: 60_000 })
  const idle = peer(t, listening)
  idle.socket.write(head('GET', '/'))
  await idle.until(/answered/)
  const closing = listening.close()
  idle.socket.write(head('GET', '/'))
  const late = peer(t, listening)
  late.socket.write(head('GET', '/'))
  t.match(await idle.until(/answered[\s\S]*answered/), /Connection: close/)
  t.match(await late.until(/answered/), /Connection: close/)
  for (const { socket } of [idle, late]) socket.end()
  await closing
})

t.test('responses of one turn are sent together at its end, in order', async t => {
  const sent: string[] = []
  const outbox = new Outbox()
  outbox.add(() => sent.push('a'))
  await Promise.resolve()
  outbox.add(() => sent.push('b'))
  t.same(sent, [])
  await turn()
  t.same(sent, ['a', 'b'])
})

t.test('a response that is added while others are sent goes with the next turn', async t => {
  const sent: string[] = []
  const outbox = new Outbox()
  outbox.add(() => {
    sent.push('a')
    outbox.add(() => sent.push('b'))
  })
  await turn()
  t.same(sent, ['a'])
  await turn()
  t.same(sent, ['a', 'b'])
})
