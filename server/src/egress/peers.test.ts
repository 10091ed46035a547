import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import {
  type HostilePeer,
  hostilePeers,
  limitFor,
  openPeer,
  patientMs,
} from '../../verify/support/hostile-peers.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { Admission } from '../base/flow/admission.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { createCallbackSender } from './callback-sender.ts'
import { EgressError } from './egress-error.ts'
import { createFormulaEgress } from './formula-egress.ts'
import { createProxyEgress } from './proxy-egress.ts'

const responseBytes = 100_000
const body = Buffer.alloc(900_000, 'a')
const request = { method: 'POST', headers: { 'content-type': 'text/plain' }, body }
const by = { tenant: 't' }
const { signal } = new AbortController()

/** Sends a request and returns what came of it. */
type Send = (url: string, request: Sent) => Promise<string>
interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}
interface Opening {
  readonly origins: readonly string[]
  readonly admission?: Admission
  readonly timeoutMs: number
}
interface User {
  readonly methods: readonly string[]
  open(opening: Opening): Send
  /** Returns the outcome of an exchange with a peer. */
  wanted(peer: HostilePeer): string
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const users: Readonly<Record<string, User>> = {
  callbacks: {
    methods: ['POST'],
    open: ({ timeoutMs }) => {
      const send = createCallbackSender({ allowPrivate: true, timeoutMs })
      return async (url, { headers, body = Buffer.alloc(0) }) =>
        `${await send({ ...by, url, reactor: 'r', traceId: 'x', headers, body, signal })}`
    },
    wanted: ({ head }) => `${head}`,
  },
  formulas: {
    methods,
    open: ({ timeoutMs, ...options }) => {
      const fetch = createFormulaEgress({ ...options, limits: { timeoutMs, responseBytes } })
      return async (url, { body, ...request }) => {
        const { status } = await fetch({ ...request, by, url, signal, ...(body && { body }) })
        return `${status} whole`
      }
    },
    // A formula does not see whether a target was silent.
    wanted: ({ head, body, decoded = body }) => {
      const failure = typeof head === 'number' ? decoded : head
      return failure === 'whole' ? `${head} whole` : failure === 'size' ? 'size' : 'network'
    },
  },
  proxy: {
    methods,
    open: ({ timeoutMs, ...options }) => {
      const egress = createProxyEgress({ ...options, headerPrefix: 'svc' })
      return async (url, request) => {
        const exchange = egress.begin({ by, timeoutMs })
        const { status, body } = await exchange.send({ ...request, url: new URL(url) })
        try {
          for await (const piece of body(responseBytes)) t.ok(piece.length > 0)
          return `${status} whole`
        } catch (error) {
          return `${status} ${reasonOf(error)}`
        }
      }
    },
    wanted: ({ head, body }) => (typeof head === 'number' ? `${head} ${body}` : head),
  },
}

const reasonOf = (error: unknown) => (error instanceof EgressError ? error.reason : `${error}`)
/** Counts the timers and sockets of this process. */
const resources = () =>
  process.getActiveResourcesInfo().filter(name => /^(Timeout|TCPSocketWrap|TLSWrap)$/.test(name)).length

for (const [name, { open, wanted }] of Object.entries(users)) {
  t.test(
    `${name}: whatever a target does, an exchange settles in time and leaves nothing behind`,
    async t => {
      const honest = await openReceiver(t)
      const peers = await Promise.all(hostilePeers.map(peer => openPeer(t, peer)))
      const origins = [honest.origin, ...peers.map(({ origin }) => origin)]
      // Admits one exchange, so that one that does not end shows at once.
      const admission = new Admission({ total: 1 })
      const patient = open({ origins, admission, timeoutMs: patientMs })
      const before = resources()
      for (const peer of peers) {
        const timeoutMs = limitFor(peer)
        const sent = open({ origins, admission, timeoutMs })(peer.origin, request).catch(reasonOf)
        t.equal(await Promise.race([sent, late(timeoutMs)]), wanted(peer), peer.name)
        t.equal(admission.total, 0, `${peer.name}: its share is free`)
        t.equal(await Promise.race([peer.left(), late(timeoutMs)]), undefined, `${peer.name}: it is closed`)
        t.match(
          await patient(honest.origin, request).catch(reasonOf),
          /^200/,
          `${peer.name}: the next exchange works`,
        )
      }
      // The sockets of the honest target close a moment after ours.
      for (let turn = 0; turn < 1000 && resources() > before; turn++) await nextTurn()
      // Those of earlier tests may have gone since.
      t.ok(resources() <= before, `${resources()} timers and sockets, ${before} before`)
    },
  )
}

/** Resolves when an exchange must have ended, on a slow machine, too. */
const late = (timeoutMs: number) =>
  new Promise<string>(resolve => setTimeout(() => resolve('too late'), timeoutMs + 5000).unref())

interface ReadRequest {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Reads requests one after another, by their framing alone, as a target does on a connection that stays open. */
function readInTurn(text: string): ReadRequest[] {
  const requests: ReadRequest[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`this is not a request: ${rest}`)
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(fields.map(field => field.toLowerCase().split(': ')))
    const length = Number(headers['content-length'] ?? 0)
    requests.push({ line, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return requests
}

/** Opens a server that keeps all bytes of each connection, and answers when no more come. */
async function openReader(t: { teardown(task: () => unknown): void }) {
  const texts: string[] = []
  const server = createServer(socket => {
    const at = texts.push('') - 1
    let timer: NodeJS.Timeout | undefined
    socket
      .on('error', () => {})
      .on('data', data => {
        texts[at] += data.toString('latin1')
        // Nothing but silence shows that a request is over whose framing is not trusted.
        clearTimeout(timer)
        timer = setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 30)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns what came over the connections since. */
    take: () => texts.splice(0).map(readInTurn),
  }
}

const hidden = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
const misleading = {
  'Content-Type': 'text/plain',
  'Content-Length': '3',
  'Transfer-Encoding': 'chunked',
  Connection: 'keep-alive',
}

for (const [name, user] of Object.entries(users)) {
  t.test(`${name}: every body has a length, and nothing of it can be read as a request`, async t => {
    const reader = await openReader(t)
    const sending = user.open({ origins: [reader.origin], timeoutMs: 5000 })
    const send = (method: string, body: Uint8Array | undefined) =>
      sending(`${reader.origin}/a`, { method, headers: misleading, body })
    for (const method of user.methods) {
      await send(method, Buffer.from(hidden))
      const [requests = []] = reader.take()
      t.equal(requests.length, 1, `${method}: one request`)
      const [{ line, headers: sent, body } = { line: '', headers: {}, body: '' }] = requests
      t.same([line, body], [`${method} /a HTTP/1.1`, hidden], `${method}: with its whole body`)
      t.equal(sent.connection, 'close')
      t.notOk(sent['transfer-encoding'])

      await send(method, undefined)
      const [[bare, ...others] = []] = reader.take()
      t.same([bare?.line, bare?.body, others], [`${method} /a HTTP/1.1`, '', []], `${method} without a body`)
      const length = ['POST', 'PUT', 'PATCH'].includes(method) ? '0' : undefined
      t.equal(bare?.headers['content-length'], length)
      t.notOk(bare?.headers['transfer-encoding'], `${method}: no chunks`)
    }
  })
}
