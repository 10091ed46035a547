import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ConnectionLimits, connectionLimits } from '../base/limits.ts'
import { BodyBudget, readAll } from './body.ts'
import { Connections, refusalOf } from './connections.ts'
import type { Core } from './core.ts'
import { Outbox } from './outbox.ts'
import { writeBeginning, writeResponse } from './write.ts'

export interface Listening {
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Returns the number of open connections. */
  connections(): number
  /** Accepts no new connections, finishes the requests in flight, then resolves. */
  close(): Promise<void>
}

/** Where to listen. */
export interface Address {
  readonly host: string
  readonly port: number
  /** Lets the process end while the port is open. */
  readonly unref?: boolean
}

/** Opens a port. @internal */
export async function listen(
  core: Core,
  { host, port, unref = false }: Address,
  bounds: ConnectionLimits = connectionLimits,
): Promise<Listening> {
  const connections = new Connections(bounds)
  const bodies = new BodyBudget(bounds)
  const outbox = new Outbox()
  const server = createServer(
    {
      maxHeaderSize: bounds.headerBytes,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveTimeoutMs,
      connectionsCheckingInterval: bounds.checkIntervalMs,
      keepAlive: true,
    },
    (request, response) => {
      if (connections.begin(request.socket, request, response))
        void serve(core, { connections, bodies, outbox, bounds }, request, response)
    },
  )
  server.maxConnections = bounds.connections
  server.on('connection', socket => {
    connections.add(socket)
    if (unref) socket.unref()
  })
  if (unref) server.unref()
  server.on('clientError', (error, socket) => refuseMalformed(connections, error, socket as Socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shownHost}:${bound}`,
    port: bound,
    connections: () => connections.count,
    close: () => close(server, connections, bounds.closeGraceMs),
  }
}

/** Shared by the requests of one listener. */
interface Shared {
  readonly connections: Connections
  readonly bodies: BodyBudget
  readonly outbox: Outbox
  readonly bounds: ConnectionLimits
}

async function serve(
  core: Core,
  { connections, bodies, outbox, bounds }: Shared,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A proxy may send the whole URL (RFC 9112, section 3.2.2).
  const url = request.url ?? '/'
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  const content = await core({
    method: request.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers: request.headers as Record<string, string | undefined>,
    readBody: limit => readAll(request, limit, bodies.share(response)),
    onClose: listener => (response.destroyed ? listener() : void response.once('close', listener)),
  })
  if (content.cutAfter !== undefined) return writeBeginning(response, content, content.cutAfter)
  const isLast = connections.closing || !isWorthReading(request)
  if (isLast) content.headers.Connection = 'close'
  outbox.add(() => {
    connections.responding(request.socket)
    if (isLast && !request.complete) discardRest(request, connections)
    void writeResponse(request.method === 'HEAD', response, content, {
      progressed: () => connections.progressed(request.socket),
      wholeTimeoutMs: bounds.wholeAnswerTimeoutMs,
    })
  })
}

/**
 * Reads and drops the rest of a request after its response. Closing the socket while data arrives would reset it, and
 * the response could be lost before it is read.
 */
function discardRest(request: IncomingMessage, connections: Connections): void {
  const { socket } = request
  socket.destroySoon = () => {
    socket.end()
    connections.linger(socket)
  }
  request.removeAllListeners('data')
  request.resume()
}

/** True if draining the unread request body is cheaper than closing the connection. */
function isWorthReading(request: IncomingMessage): boolean {
  if (request.complete) return true
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers
  return encoding === undefined && Number(length ?? 0) <= connectionLimits.bodyBytes
}

/** Refuses what is not HTTP, or did not arrive in time, on the bare socket, as there is no request. */
function refuseMalformed(connections: Connections, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  connections.refuse(socket, refusalOf(status))
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  connections.close(graceMs)
  await closed
  connections.closed()
}
