import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { connectionLimits } from '../base/limits.ts'
import type { Core } from './core.ts'
import { type Listening, listen } from './listener.ts'

/**
 * The lifetime of a connection whose peer does nothing, too little, or never closes: no longer than the limits
 * allow. One limit at a time is short, the others are so long that a test would run into its timeout.
 */
type Bounds = Partial<Record<keyof typeof connectionLimits, number>>
const forever = 3_600_000
const shortMs = 50
/** Enough for a busy process to read the response before the connection is cut. */
const readingMs = 1_000
const generous = {
  ...connectionLimits,
  headersTimeoutMs: forever,
  requestTimeoutMs: forever,
  keepAliveTimeoutMs: forever,
  answerTimeoutMs: forever,
  wholeAnswerTimeoutMs: forever,
  lingerMs: forever,
  checkIntervalMs: 10,
  closeGraceMs: 0,
}
const text = { 'Content-Type': 'text/plain' }
const long = 'x'.repeat(1024 * 1024)

/** Sends 16 MiB in pieces, more than sockets hold. */
async function* pieces() {
  for (let sent = 0; sent < 16; sent++) yield long
}

const core: Core = async ({ path, readBody }) => {
  if (path === '/pieces') return { status: 200, headers: { ...text }, pieces: pieces() }
  if (path === '/long') return { status: 200, headers: { ...text }, body: long.repeat(16) }
  if (path === '/read') {
    try {
      const body = await readBody(connectionLimits.bodyBytes)
      return { status: body ? 200 : 413, headers: { ...text }, body: String(body?.length) }
    } catch (error) {
      return { status: 503, headers: { ...text }, body: (error as Error).message }
    }
  }
  return { status: 200, headers: { ...text }, body: 'answered' }
}

type Tap = { teardown(task: () => unknown): void }

async function open(t: Tap, bounds: Bounds, answer: Core = core): Promise<Listening> {
  const listening = await listen(answer, { host: '127.0.0.1', port: 0 }, { ...generous, ...bounds })
  t.teardown(() => listening.close())
  return listening
}

/** A peer that never closes its side. It reads until it is paused. */
function peer(t: Tap, { port }: Listening) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received = (received + text).slice(0, 10_000)
  })
  socket.on('error', () => {})
  return {
    socket,
    received: () => received,
    until: async (pattern: RegExp) => {
      while (!pattern.test(received)) {
        if (socket.readableEnded || socket.closed) throw new Error(`the connection ended after ${received}`)
        await Promise.race(['data', 'end', 'close'].map(event => once(socket, event)))
      }
      return received
    },
  }
}

/** Looks now and then: to look in every turn would take a processor for as long as the limit lasts. */
async function untilConnections(listening: Listening, count: number): Promise<void> {
  while (listening.connections() !== count) await wait(5)
}

/** Writes a byte with each turn for as long as the socket takes it. */
async function trickle(socket: Socket, byte = 'x'): Promise<void> {
  while (!socket.destroyed && socket.writable) {
    socket.write(byte)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: vault', ...lines, '', ''].join('\r\n')

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
  {
    name: 'that sends nothing',
    bounds: { headersTimeoutMs: shortMs, lingerMs: shortMs },
    sends: '',
    gets: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'that sends half a head',
    bounds: { headersTimeoutMs: shortMs, lingerMs: shortMs },
    sends: 'GET / HTTP/1.1\r\nHost: va',
    gets: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'that sends a head byte by byte',
    bounds: { headersTimeoutMs: shortMs, lingerMs: readingMs },
    sends: 'GET / HTTP/1.1\r\nX-A: ',
    trickles: true,
    gets: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'that sends a second head byte by byte',
    bounds: { headersTimeoutMs: shortMs, lingerMs: readingMs },
    sends: `${head('GET', '/')}GET / HTTP/1.1\r\nX-A: `,
    trickles: true,
    gets: /^HTTP\/1\.1 200 [\s\S]*answeredHTTP\/1\.1 408 /,
  },
  {
    name: 'refused with 400',
    bounds: { lingerMs: shortMs },
    sends: 'hello\r\n\r\n',
    gets: /^HTTP\/1\.1 400 [\s\S]*close/,
  },
  {
    name: 'refused with 400 that goes on sending',
    bounds: { lingerMs: shortMs },
    sends: 'hello\r\n\r\n',
    trickles: true,
    gets: /^HTTP\/1\.1 400 [\s\S]*close/,
  },
  {
    name: 'refused with 431',
    bounds: { lingerMs: shortMs },
    sends: head('GET', '/', `X-A: ${'a'.repeat(17_000)}`),
    gets: /^HTTP\/1\.1 431 /,
  },
  {
    name: 'answered for the last time',
    bounds: { lingerMs: shortMs },
    sends: head('GET', '/', 'Connection: close'),
    gets: /^HTTP\/1\.1 200 [\s\S]*answered$/,
    ends: true,
  },
  {
    name: 'answered for the last time that goes on sending',
    bounds: { lingerMs: shortMs },
    sends: head('POST', '/', `Content-Length: ${16 * connectionLimits.bodyBytes}`),
    trickles: true,
    gets: /^HTTP\/1\.1 200 [\s\S]*Connection: close[\s\S]*answered$/,
  },
  {
    name: 'whose body never ends',
    bounds: { headersTimeoutMs: shortMs, requestTimeoutMs: shortMs, lingerMs: shortMs },
    sends: head('POST', '/read', 'Content-Length: 1000000'),
    trickles: true,
    gets: /^HTTP\/1\.1 408 /,
  },
  {
    name: 'that never reads its answer',
    bounds: { answerTimeoutMs: shortMs },
    sends: head('GET', '/long'),
    reads: false,
  },
  {
    name: 'that never reads its last answer',
    bounds: { answerTimeoutMs: shortMs },
    sends: head('GET', '/long', 'Connection: close'),
    reads: false,
  },
  {
    name: 'that never reads an answer in pieces',
    bounds: { answerTimeoutMs: shortMs },
    sends: head('GET', '/pieces'),
    reads: false,
  },
  {
    name: 'that reads none of several responses',
    bounds: { answerTimeoutMs: shortMs },
    sends: head('GET', '/long').repeat(3),
    trickles: true,
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

t.test('a slow receiver has a time limit for all pieces together', async t => {
  const listening = await open(t, { wholeAnswerTimeoutMs: 1 })
  await t.rejects((await fetch(`${listening.url}/pieces`)).text())
  await untilConnections(listening, 0)
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

t.test('a request in progress has no time limit', async t => {
  let answer = () => {}
  const bounds = {
    headersTimeoutMs: shortMs,
    requestTimeoutMs: shortMs,
    keepAliveTimeoutMs: shortMs,
    answerTimeoutMs: shortMs,
    lingerMs: shortMs,
  }
  const listening = await open(t, bounds, async () => {
    await new Promise<void>(resolve => {
      answer = resolve
    })
    return { status: 200, headers: {}, body: 'at last' }
  })
  const waiting = peer(t, listening)
  waiting.socket.write(head('GET', '/'))
  const silent = peer(t, listening)
  await untilConnections(listening, 2)
  await once(silent.socket, 'end')
  await untilConnections(listening, 1)
  answer()
  t.match(await waiting.until(/last$/), /^HTTP\/1\.1 200 /)
})

t.test('a surplus connection replaces the one that has been idle longest, and never a busy one', async t => {
  let busy = 0
  let answer = () => {}
  const done = new Promise<void>(resolve => {
    answer = resolve
  })
  const listening = await open(t, { connections: 4 }, async ({ path }) => {
    busy++
    if (path === '/wait') await done
    busy--
    return { status: 200, headers: {}, body: 'answered' }
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await turn()
  }
  const enter = async () => {
    const caller = peer(t, listening)
    await once(caller.socket, 'connect')
    return caller
  }
  const occupy = async (caller: ReturnType<typeof peer>) => {
    const before = busy
    caller.socket.write(head('GET', '/wait'))
    await until(() => busy === before + 1)
    return caller
  }
  const rest = async (caller: ReturnType<typeof peer>) => {
    caller.socket.write(head('GET', '/'))
    await caller.until(/answered$/)
    return caller
  }
  const first = await rest(await enter())
  const second = await rest(await enter())
  const third = await rest(await enter())
  await occupy(first)
  const fourth = await enter()
  await until(() => second.socket.readableEnded)
  await occupy(third)
  await occupy(fourth)
  const fifth = await occupy(await enter())
  const refused = await enter()
  await until(() => refused.socket.readableEnded)
  t.equal(listening.connections(), 4, 'where all are busy there is no place')
  answer()
  for (const one of [first, third, fourth, fifth]) await one.until(/answered$/)
  t.match((await rest(await enter())).received(), /answered$/, 'the control')
})

t.test('a connection with too many unanswered requests ends after their responses', async t => {
  for (const requests of [4, 5, 50]) {
    const waiting: (() => void)[] = []
    const listening = await open(t, { pipelinedRequests: 4, lingerMs: shortMs }, async () => {
      await new Promise<void>(resolve => waiting.push(resolve))
      return { status: 200, headers: {}, body: 'answered' }
    })
    const caller = peer(t, listening)
    caller.socket.write(head('GET', '/').repeat(requests))
    while (waiting.length < 4) await turn()
    for (let quiet = 0; quiet < 20; quiet++) await turn()
    t.equal(waiting.length, 4, 'no further one is begun')
    for (const answer of waiting) answer()
    await caller.until(requests === 4 ? /(answered[\s\S]*){4}/ : /HTTP\/1\.1 429 [\s\S]*\r\n\r\n$/)
    t.equal(caller.received().match(/answered/g)?.length, 4)
    await untilConnections(listening, requests === 4 ? 1 : 0)
  }
  const listening = await open(t, { pipelinedRequests: 4 }, () => new Promise(() => {}))
  const flooding = peer(t, listening)
  flooding.socket.write(head('GET', '/').repeat(500))
  while (!flooding.socket.readableEnded && !flooding.socket.destroyed) await turn()
  t.equal(listening.connections(), 0, 'and at once where it goes on and on')
})

t.test('malformed input after requests is refused after their responses', async t => {
  let answer = () => {}
  const listening = await open(t, { lingerMs: shortMs }, async () => {
    await new Promise<void>(resolve => {
      answer = resolve
    })
    return { status: 200, headers: {}, body: 'first' }
  })
  const caller = peer(t, listening)
  caller.socket.write(`${head('GET', '/')}hello\r\n\r\n`)
  await untilConnections(listening, 1)
  for (let quiet = 0; quiet < 20; quiet++) await turn()
  answer()
  t.match(await caller.until(/400/), /^HTTP\/1\.1 200 [\s\S]*firstHTTP\/1\.1 400 /)
  await untilConnections(listening, 0)
})

t.test('large bodies share a limit that small ones do not use', async t => {
  const listening = await open(t, { allBodyBytes: 3000, freeBodyBytes: 1000 })
  const slow = peer(t, listening)
  slow.socket.write(head('POST', '/read', 'Content-Length: 3501') + 'x'.repeat(3500))
  const post = async (length: number) => {
    const response = await fetch(`${listening.url}/read`, { method: 'POST', body: 'x'.repeat(length) })
    return { status: response.status, text: await response.text() }
  }
  // The slow one takes its share when its bytes arrive.
  while ((await post(1501)).status === 200) await turn()
  t.same(await post(1501), { status: 503, text: 'too many large requests at once' })
  t.same(await post(1500), { status: 200, text: '1500' })
  t.same(await post(1000), { status: 200, text: '1000' })
  slow.socket.write('x')
  await slow.until(/3501$/)
  t.same(await post(4000), { status: 200, text: '4000' }, 'what an answered request took is free again')
  t.equal((await post(4001)).status, 503)
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
