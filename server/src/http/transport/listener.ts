import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Admissions, createAdmissions } from '../../base/flow/admissions.ts'
import { type ConnectionLimits, connectionLimits } from '../../base/limits.ts'
import type { Core } from '../pipeline/core.ts'
import { Connections, refusalOf } from './connections.ts'
import { callerGone } from './message.ts'
import { RequestShares } from './request-shares.ts'
import { Outbox, onClose, writeBeginning, writeResponse } from './write-response.ts'

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

interface ListenerOptions {
  /** Default: of this listener alone. */
  readonly admissions?: Admissions
  readonly limits?: ConnectionLimits
}

/** Opens a port. @internal */
export async function listen(
  core: Core,
  { host, port, unref = false }: Address,
  { admissions = createAdmissions(), limits = connectionLimits }: ListenerOptions = {},
): Promise<Listening> {
  const connections = new Connections(limits, admissions.connections)
  const shared = { connections, admissions, outbox: new Outbox(), limits }
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const begun = (peer: string) => void serve(core, { ...shared, peer }, request, response)
    connections.begin(request.socket, request, response, begun)
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
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1). Node's own 417 is no problem document.
  server.on('checkExpectation', begin)
  server.on('connection', socket => {
    connections.add(socket)
    if (unref) socket.unref()
  })
  if (unref) server.unref()
  server.on('clientError', (error, socket) => refuseMalformed(connections, error, socket as Socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Enough for a crowd that connects again and again: the system makes those beyond it wait for seconds.
    server.listen({ port, host, backlog: limits.backlog }, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shownHost}:${bound}`,
    port: bound,
    connections: () => connections.count,
    close: () => close(server, connections, limits.closeGraceMs),
  }
}

/** Shared by the requests of one listener. */
interface Shared {
  readonly connections: Connections
  readonly admissions: Admissions
  readonly outbox: Outbox
  readonly limits: ConnectionLimits
}

async function serve(
  core: Core,
  { connections, admissions, outbox, limits, peer }: Shared & { readonly peer: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { socket } = request
  const shares = new RequestShares(admissions, limits, peer)
  // Whoever does not read its responses gets a refusal once, not for each of its pipelined requests.
  const orLast = (take: () => void) => {
    try {
      take()
    } catch (error) {
      connections.endAfter(socket)
      throw error
    }
  }
  // A proxy may send the whole URL (RFC 9112, section 3.2.2).
  const url = request.url ?? '/'
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  const content = await core({
    method: request.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers: request.headers as Record<string, string | undefined>,
    peer: socket.remoteAddress,
    readBody: limit => {
      connections.receiving(socket, request)
      return readAll(request, limit, bytes => shares.take('requestBytes', bytes))
    },
    identified: caller => {
      connections.identify(socket, caller)
      orLast(() => shares.identify(caller))
    },
    reserve: bytes => orLast(() => shares.take('responseBytes', bytes)),
    isGone: () => response.destroyed,
    onClose: listener => onClose(response, listener),
  }).finally(() => onClose(response, () => shares.release()))
  if (content.cutAfter !== undefined) return writeBeginning(response, content, content.cutAfter)
  const isLast = connections.endsAfter(socket) || !isWorthReading(request)
  if (isLast) content.headers.Connection = 'close'
  outbox.add(() => {
    connections.responding(socket)
    if (isLast && !request.complete) discardRest(request, connections)
    writeResponse(request.method === 'HEAD', response, content, {
      progressed: () => connections.progressed(socket),
      take: bytes => shares.take('responseBytes', bytes),
      limits,
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

/**
 * Resolves with the body of a request, or with `undefined` as soon as it is longer than `limit`.
 * @param take is called with the length of each chunk, and throws if there is no memory for it
 */
function readAll(
  request: IncomingMessage,
  limit: number,
  take: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    const stop = (settle: () => void) => {
      request.removeAllListeners('data')
      // The rest is dropped: left unread, it would keep the next request of the connection from being parsed.
      request.resume()
      chunks = []
      settle()
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) return stop(() => resolve(undefined))
      try {
        take(chunk.length)
      } catch (error) {
        return stop(() => reject(error))
      }
      chunks.push(chunk)
    })
    const hungUp = () => reject(callerGone())
    request.on('end', () => {
      // Every request closes in the end, and making an error takes longer than reading a small body.
      request.off('close', hungUp)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', hungUp)
    request.on('close', hungUp)
  })
}
