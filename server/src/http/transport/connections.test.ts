import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { connectionLimits } from '../../base/limits.ts'
import type { Core } from '../pipeline/core.ts'
import {
  type Bounds,
  head,
  long,
  open,
  peer,
  readingMs,
  shortMs,
  text,
  trickle,
  untilConnections,
} from './_raw-connection.ts'
import type { Listening } from './listener.ts'

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
  await t.rejects(fetch(`${listening.url}/pieces`).then(response => response.text()))
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
  const answerLater: Core = async ({ path, identified }) => {
    identified?.({ tenant: 'a', application: 'a' })
    busy++
    if (path === '/wait') await done
    busy--
    return { status: 200, headers: {}, body: 'answered' }
  }
  const listening = await open(t, { reserve: 0 }, answerLater, { connections: { total: 4 } })
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
  const extra = await occupy(await enter())
  const first = await rest(await enter())
  const second = await rest(await enter())
  const third = await rest(await enter())
  await occupy(first)
  const fourth = await enter()
  await until(() => second.socket.readableEnded)
  await occupy(third)
  await occupy(fourth)
  const refused = await enter()
  await until(() => refused.socket.readableEnded)
  t.equal(listening.connections(), 4, 'where all are busy there is no place')
  answer()
  for (const one of [extra, first, third, fourth]) await one.until(/answered$/)
  t.match((await rest(await enter())).received(), /answered$/, 'the control')
})

t.test('a connection that says too late who it is for gives way to another one', async t => {
  let begun = 0
  const busy: Core = async ({ path, identified }) => {
    if (path !== '/unknown') identified?.({ tenant: path, application: path })
    begun++
    await new Promise(() => {})
    return { status: 200, headers: {} }
  }
  const listening = await open(t, { reserve: 0 }, busy, { connections: { total: 3 } })
  const enter = async (path: string) => {
    const caller = peer(t, listening)
    const before = begun
    caller.socket.write(head('GET', path))
    while (begun === before) await turn()
    return caller
  }
  const known = [await enter('/a')]
  const unknown = [await enter('/unknown'), await enter('/unknown')]
  for (const one of unknown) {
    known.push(await enter('/b'))
    while (!one.socket.readableEnded) await turn()
  }
  t.ok(known.every(({ socket }) => !socket.readableEnded))
  const refused = peer(t, listening)
  await once(refused.socket, 'end')
  t.equal(listening.connections(), 3, 'the control: the callers of all others are known')
})

t.test('a connection with too many unanswered requests ends after their responses', async t => {
  for (const requests of [4, 5, 8]) {
    const waiting: (() => void)[] = []
    let served = 0
    const listening = await open(t, { pipelinedRequests: 4, lingerMs: shortMs }, async () => {
      served++
      await new Promise<void>(resolve => waiting.push(resolve))
      return { status: 200, headers: {}, body: 'answered' }
    })
    const caller = peer(t, listening)
    caller.socket.write(head('GET', '/').repeat(requests))
    for (let begun = 1; begun <= 4; begun++) {
      while (waiting.length === 0) await turn()
      for (let quiet = 0; quiet < 20; quiet++) await turn()
      t.equal(served, begun, 'each waits for the response before its own')
      waiting.shift()?.()
    }
    await caller.until(requests === 4 ? /(answered[\s\S]*){4}/ : /HTTP\/1\.1 429 [\s\S]*\r\n\r\n$/)
    t.equal(caller.received().match(/answered/g)?.length, 4)
    await untilConnections(listening, requests === 4 ? 1 : 0)
  }
})

t.test('a connection with twice as many unanswered requests ends at once', async t => {
  const listening = await open(t, { pipelinedRequests: 4 }, () => new Promise(() => {}))
  const few = peer(t, listening)
  few.socket.write(head('GET', '/').repeat(8))
  const many = peer(t, listening)
  many.socket.write(head('GET', '/').repeat(9))
  await once(many.socket, 'end')
  t.equal(many.received(), '')
  t.equal(listening.connections(), 1, 'the control')
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
