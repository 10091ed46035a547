import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { nextTurn, oncePerTurn } from '../../base/flow/event-loop.ts'
import { MemoryShares } from '../../base/flow/memory-shares.ts'
import { type ConnectionLimits, connectionLimits } from '../../base/limits.ts'
import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'
import type { Core } from '../pipeline/core.ts'
import type { ClientAddress } from './client-address.ts'
import { WireRequest } from './wire-request.ts'
import { writeResponse } from './write-response.ts'

export interface Listening {
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Returns the number of open connections. */
  connections(): number
  /** Lets each connection end after its next response. New ones are still accepted. */
  drain(): void
  /** Accepts no new connections, finishes the requests in flight, then resolves. */
  close(): Promise<void>
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** Lets the process end while the port is open. */
  readonly unref?: boolean
}

interface ListenParts {
  readonly limits?: ConnectionLimits
  readonly clientAddress?: ClientAddress | undefined
  /** Is told of each new connection. */
  readonly connected: () => void
}

/** Shared by the requests of one listener. */
interface Port {
  readonly core: Core
  readonly bodies: MemoryShares
  readonly outbox: Outbox
  readonly limits: ConnectionLimits
  readonly clientAddress: ClientAddress
  isDraining: boolean
  /** Connections and requests so far. */
  arrivals: number
  /** Resolves when responses may be sent again. */
  held?: Promise<void>
}

/**
 * Opens a port. Node bounds connections, heads, requests, idle connections and peers that do not read; a reverse proxy in
 * front bounds addresses and rates. @internal
 */
export async function listen(
  core: Core,
  { host, port, unref = false }: ListenAddress,
  { limits = connectionLimits, clientAddress = ({ socket }) => socket.remoteAddress, connected }: ListenParts,
): Promise<Listening> {
  const bodies = new MemoryShares(limits.bodiesBytes)
  const shared: Port = {
    core,
    bodies,
    outbox: new Outbox(),
    limits,
    clientAddress,
    isDraining: false,
    arrivals: 0,
  }
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    shared.arrivals++
    const socket: CountedSocket = request.socket
    if (!mayBegin(socket, response, limits.pipelinedRequests)) return
    if (socket[unanswered] === 1) return void serve(shared, request, response)
    // Responses are in the order of their requests anyway: what a caller has pipelined is not begun all at once.
    socket[pipelined] ??= []
    socket[pipelined].push(() => void serve(shared, request, response))
  }
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAlive: true,
    },
    begin,
  )
  server.maxConnections = limits.connections
  // Without a byte in either direction. Longer than any response takes to begin.
  server.timeout = limits.silenceTimeoutMs
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1). Node's own 417 is no problem document.
  server.on('checkExpectation', begin)
  const sockets = new Set<CountedSocket>()
  server.on('connection', socket => {
    shared.arrivals++
    connected()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (unref) socket.unref()
  })
  if (unref) server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shownHost}:${bound}`,
    port: bound,
    connections: () => sockets.size,
    drain: () => {
      shared.isDraining = true
    },
    close: async () => {
      shared.isDraining = true
      // Without a connection there may still be some that are not accepted yet.
      if (shared.arrivals === 0) return close(server, sockets, limits)
      const release = hold(shared)
      await untilQuiet(shared)
      const closed = close(server, sockets, limits)
      release()
      return closed
    },
  }
}

const unanswered = Symbol('requests without a complete response')
const pipelined = Symbol('what begins the requests behind the first of these')
type CountedSocket = Socket & { [unanswered]?: number; [pipelined]?: (() => void)[] }

/** Counts a request for its connection. One that pipelines too many gets a refusal, and ends after it. */
function mayBegin(socket: CountedSocket, response: ServerResponse, limit: number): boolean {
  const count = (socket[unanswered] ?? 0) + 1
  socket[unanswered] = count
  response.once('close', answered)
  if (count <= limit) return true
  response.writeHead(429, { 'Retry-After': '1', 'Cache-Control': 'no-store', Connection: 'close' }).end()
  return false
}

function answered(this: ServerResponse): void {
  const socket: CountedSocket = this.req.socket
  socket[unanswered] = (socket[unanswered] ?? 1) - 1
  const next = socket[pipelined]?.shift()
  if (next && !socket.destroyed) next()
}

async function serve(port: Port, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const peer = port.clientAddress(request)
  // A core that rejects has no response: the connection is closed.
  const content = await port
    .core(new WireRequest(request, response, port.bodies, peer))
    .catch(() => void response.socket?.destroy())
  if (!content) return
  if (port.held) await port.held
  if (port.isDraining) content.headers.Connection = 'close'
  port.outbox.add(() => {
    if (!request.complete) endAfterRest(request.socket)
    writeResponse(request.method === 'HEAD', response, content)
  })
}

/**
 * Holds responses back. The end of a port cuts off connections that were opened a moment before, and requests on the way on
 * idle ones: clients that wait for a response open none and send none.
 */
function hold(port: Port): () => void {
  let release = () => {}
  port.held = new Promise(resolve => {
    release = resolve
  })
  return () => {
    delete port.held
    release()
  }
}

/** Resolves when nothing has come for a while: all clients of this port wait for a response. */
async function untilQuiet(port: Port): Promise<void> {
  const { closeHoldMs, closeHolds } = port.limits
  for (let count = 0; count < closeHolds; count++) {
    const { arrivals } = port
    await new Promise<void>(resolve => setTimeout(resolve, closeHoldMs))
    // Connections and requests that arrived meanwhile are accepted first.
    await nextTurn()
    if (port.arrivals === arrivals) return
  }
}

/**
 * Closing a connection on which a body still arrives would reset it, and the response could be lost before it is read. So
 * our side is closed, and the rest is read and dropped, within the limits of a request.
 */
function endAfterRest(socket: Socket): void {
  socket.destroySoon = () => void socket.end()
}

/**
 * Ends connections between two requests at once, those without a first one a little later, as it may be on its way, others
 * after their response, and all of them after the grace.
 */
async function close(
  server: Server,
  sockets: ReadonlySet<CountedSocket>,
  { closeGraceMs, closeUnusedMs }: ConnectionLimits,
): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const end = (isIdle: (count: number | undefined) => boolean) => {
    for (const socket of sockets) if (isIdle(socket[unanswered])) socket.destroy()
  }
  end(count => count === 0)
  const unused = setTimeout(() => end(count => !count), closeUnusedMs)
  const grace = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearTimeout(unused)
  clearTimeout(grace)
}

/**
 * Sends the responses of one turn of the event loop together at its end. Sending each at once would wake its receiver in
 * between: with 32 connections on one machine a read takes a fifth more of the processor.
 */
export class Outbox {
  #waiting: (() => void)[] = []
  readonly #flushLater = oncePerTurn(() => {
    const sends = this.#waiting
    this.#waiting = []
    for (const send of sends) send()
  })

  /** @param send is called at the end of this turn, and must not throw */
  add(send: () => void): void {
    this.#waiting.push(send)
    this.#flushLater()
  }
}
