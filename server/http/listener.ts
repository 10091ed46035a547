import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ServiceError } from '../base/errors.ts'
import { Connections } from './connections.ts'
import type { Core } from './core.ts'
import { limits } from './limits.ts'
import type { CoreResponse } from './message.ts'
import { Outbox } from './outbox.ts'

export interface Listening {
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly port: number
  /** Takes no new connections, lets requests in flight finish, then resolves. */
  close(): Promise<void>
}

export async function listen(core: Core, host: string, port: number): Promise<Listening> {
  const connections = new Connections()
  const outbox = new Outbox()
  const server = createServer(
    { maxHeaderSize: limits.headerBytes, requestTimeout: limits.requestTimeoutMs, keepAlive: true },
    (request, response) => {
      connections.begin(request.socket, response)
      void serve(core, { connections, outbox }, request, response)
    },
  )
  server.on('connection', socket => connections.add(socket))
  server.headersTimeout = limits.headersTimeoutMs
  server.keepAliveTimeout = limits.keepAliveTimeoutMs
  server.on('clientError', refuseMalformed)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const shownHost = host.includes(':') ? `[${host}]` : host
  return { url: `http://${shownHost}:${bound}`, port: bound, close: () => close(server, connections) }
}

async function serve(
  core: Core,
  { connections, outbox }: { connections: Connections; outbox: Outbox },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A proxy may send the whole URL (RFC 9112, section 3.2.2).
  const url = request.url ?? '/'
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  const answer = await core({
    method: request.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers: request.headers as Record<string, string | undefined>,
    readBody: limit => readAll(request, limit),
  })
  const isLast = connections.closing || !isWorthReading(request)
  outbox.add(() => write(request, response, answer, isLast))
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: CoreResponse,
  isLast: boolean,
): void {
  if (status !== 204) headers['Content-Length'] = String(body === undefined ? 0 : Buffer.byteLength(body))
  if (isLast) headers.Connection = 'close'
  if (isLast && !request.complete) linger(request)
  try {
    // All headers in one go, and a text in one piece with them: anything else costs Node a slower way.
    response.writeHead(status, headers)
    response.end(request.method === 'HEAD' ? undefined : body)
  } catch {
    // A header that cannot be sent; whoever waits for the answer should not wait for ever.
    response.destroy()
  }
}

/**
 * To close a socket on which something is still coming is to reset it, and that may take the answer along before
 * it is read. So the answer ends what we send, and what comes is thrown away until the caller has seen it.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request
  socket.destroySoon = () => {
    socket.end()
    const alarm = setTimeout(() => socket.destroy(), limits.lingerMs)
    socket.once('close', () => clearTimeout(alarm))
  }
  request.removeAllListeners('data')
  request.resume()
}

/** Whether what is still coming of a body that nobody wants is less trouble than a new connection. */
function isWorthReading(request: IncomingMessage): boolean {
  if (request.complete) return true
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers
  return encoding === undefined && Number(length ?? 0) <= limits.bodyBytes
}

function readAll(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) {
        request.pause()
        resolve(undefined)
      } else chunks.push(chunk)
    })
    // Nobody is left to read the answer; that it is no fault of ours matters to the log.
    const hungUp = () =>
      reject(new ServiceError('malformed_json', 'the caller hung up before the body was whole'))
    request.on('end', () => {
      // Every request closes in the end, and an error that nobody sees costs more than reading the body did.
      request.off('close', hungUp)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', hungUp)
    request.on('close', hungUp)
  })
}

/** What is no HTTP never becomes a request; it is answered on the bare socket. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

async function close(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  connections.close(limits.closeGraceMs)
  await closed
}
