import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/** The outcome of an exchange: a status, or the reason why there is none. */
type Head = number | 'network' | 'time'
/** The outcome of reading a body to its end. */
type Body = 'whole' | 'network' | 'time' | 'size'

/** A server that does not do what HTTP says, or never ends. */
export interface HostilePeer {
  readonly name: string
  readonly head: Head
  /** Of the body as it is sent; absent without a head. */
  readonly body?: Body
  /** Of the decompressed body, if it is another one. */
  readonly decoded?: Body
  readonly scheme?: 'https'
  /** Is called when the first bytes of a request have arrived, or at once if `atOnce` is set. */
  serve(socket: Socket): void
  readonly atOnce?: true
  /** Does not read the request. */
  readonly isDeaf?: true
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const says =
  (text: string | Uint8Array) =>
  (socket: Socket): void =>
    void socket.write(text)
const ends =
  (text: string) =>
  (socket: Socket): void =>
    void socket.end(text)

/** Writes a text again and again, as fast as it is read. */
const floods =
  (first: string, again: string) =>
  (socket: Socket): void => {
    const piece = again.repeat(Math.ceil(16_384 / again.length))
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.write(first)
    socket.on('drain', more)
    more()
  }

/** Writes a character of a text at a time, and begins again at its end. */
const trickles =
  (first: string, text: string) =>
  (socket: Socket): void => {
    let at = 0
    socket.write(first)
    const timer = setInterval(() => void socket.write(text[at++ % text.length] ?? ''), 10)
    socket.on('close', () => clearInterval(timer))
  }

export const hostilePeers: readonly HostilePeer[] = [
  {
    name: '101 with Upgrade',
    head: 'network',
    serve: says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  },
  {
    name: '101 without Upgrade',
    head: 'network',
    serve: says('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  },
  {
    name: '200 with Upgrade',
    head: 200,
    body: 'time',
    serve: says(`${ok}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`),
  },
  { name: 'a flood of 100', head: 'network', serve: floods('', 'HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: 'a flood of 103',
    head: 'network',
    serve: floods('', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
  },
  {
    name: 'one 103, then silence',
    head: 'time',
    serve: says('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
  },
  { name: 'half a status line', head: 'time', serve: says('HTTP/1.1 20') },
  { name: 'a trickle of the head', head: 'time', serve: trickles(`${ok}A: `, 'x') },
  { name: 'a trickle of the body', head: 200, body: 'time', serve: trickles(`${ok}\r\n`, 'x') },
  { name: 'a trickle of chunks', head: 200, body: 'time', serve: trickles(chunked, '1\r\nx\r\n') },
  { name: 'no answer', head: 'time', serve: () => {} },
  { name: 'a connection that is never read', head: 'time', isDeaf: true, serve: () => {} },
  {
    name: 'an answer without reading the request',
    head: 200,
    body: 'whole',
    isDeaf: true,
    serve: says(`${ok}Content-Length: 2\r\n\r\nab`),
  },
  { name: 'closes without an answer', head: 'network', serve: socket => void socket.end() },
  { name: 'resets at once', head: 'network', atOnce: true, serve: socket => void socket.resetAndDestroy() },
  { name: 'ends within the headers', head: 'network', serve: ends(`${ok}A: b\r\n`) },
  {
    name: 'ends after the headers',
    head: 200,
    body: 'network',
    serve: ends(`${ok}Content-Length: 5\r\n\r\n`),
  },
  {
    name: 'ends within the body',
    head: 200,
    body: 'network',
    serve: ends(`${ok}Content-Length: 5\r\n\r\nab`),
  },
  { name: 'ends within a chunk', head: 200, body: 'network', serve: ends(`${chunked}5\r\nab`) },
  {
    name: 'resets within the body',
    head: 200,
    body: 'network',
    serve: socket =>
      void socket.write(`${ok}Content-Length: 5\r\n\r\nab`, () =>
        setTimeout(() => socket.resetAndDestroy(), 30),
      ),
  },
  { name: 'a flood of trailers', head: 200, body: 'network', serve: floods(`${chunked}0\r\n`, 'A: b\r\n') },
  { name: 'a trickle of trailers', head: 200, body: 'time', serve: trickles(`${chunked}0\r\n`, 'A: b\r\n') },
  { name: 'an endless chunk extension', head: 200, body: 'network', serve: floods(`${chunked}5;a=`, 'x') },
  { name: 'headers without end', head: 'network', serve: floods(ok, 'A: b\r\n') },
  { name: 'a header of 100 kB', head: 'network', serve: says(`${ok}A: ${'b'.repeat(100_000)}\r\n\r\n`) },
  { name: 'a text without headers, as in HTTP/0.9', head: 'network', serve: ends('<html>hello</html>') },
  { name: 'binary garbage', head: 'network', serve: says(Buffer.alloc(5_000, 0x80)) },
  {
    name: 'two responses',
    head: 200,
    body: 'whole',
    serve: says(`${ok}Content-Length: 2\r\n\r\nab`.repeat(2)),
  },
  {
    name: 'more than its Content-Length',
    head: 200,
    body: 'whole',
    serve: says(`${ok}Content-Length: 2\r\n\r\nab and more`),
  },
  {
    name: 'two lengths',
    head: 'network',
    serve: says(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`),
  },
  {
    name: 'a length and chunks',
    head: 'network',
    serve: says(`${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  { name: 'chunks of garbage', head: 200, body: 'network', serve: says(`${chunked}zz\r\nab\r\n`) },
  {
    name: 'a bomb of gzip',
    head: 200,
    body: 'whole',
    decoded: 'size',
    serve: socket => {
      const packed = gzipSync(Buffer.alloc(5_000_000))
      socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
      socket.write(packed)
    },
  },
  {
    name: 'gzip that is none',
    head: 200,
    body: 'whole',
    decoded: 'network',
    serve: says(`${ok}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde`),
  },
  { name: 'a body without end', head: 200, body: 'size', serve: floods(`${ok}\r\n`, 'x') },
  {
    name: 'chunks without end',
    head: 200,
    body: 'size',
    serve: floods(chunked, `64\r\n${'x'.repeat(100)}\r\n`),
  },
  { name: 'status 999', head: 'network', serve: says('HTTP/1.1 999 Beyond\r\nContent-Length: 0\r\n\r\n') },
  { name: 'status 000', head: 'network', serve: says('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n') },
  { name: 'status 99', head: 'network', serve: says('HTTP/1.1 99 Short\r\nContent-Length: 0\r\n\r\n') },
  { name: 'no TLS, but text', scheme: 'https', head: 'network', serve: says(`${ok}\r\n`) },
  { name: 'no TLS, and no word', scheme: 'https', head: 'time', serve: () => {} },
  {
    name: 'half a handshake',
    scheme: 'https',
    head: 'time',
    serve: says(Buffer.from([22, 3, 3, 0, 90, 2, 0])),
  },
]

/** A time limit that is not reached, on a slow machine either. */
export const patientMs = 20_000

/** Returns the time limit for an exchange with a peer: short if it is to end the exchange, after its head if there is one. */
export function limitFor({ head, body }: HostilePeer): number {
  return head === 'time' ? 200 : body === 'time' ? 1_000 : patientMs
}

export interface OpenPeer extends HostilePeer {
  readonly origin: string
  /** Ends all connections. */
  drop(): void
  /** Resolves with the next connection. */
  met(): Promise<unknown>
  /** Resolves when no connection is open, and at least one was. */
  left(): Promise<void>
}

/** Opens a hostile peer on a free port. It is closed when the test ends. */
export async function openPeer(
  t: { teardown(task: () => unknown): void },
  peer: HostilePeer,
): Promise<OpenPeer> {
  const open = new Set<Socket>()
  const changes = new EventEmitter().setMaxListeners(0)
  let connections = 0
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: peer.isDeaf ?? false }, socket => {
    connections++
    open.add(socket)
    changes.emit('met')
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      changes.emit('left')
    })
    // The other side has closed its connection.
    socket.on('end', () => socket.destroy())
    if (peer.isDeaf || peer.atOnce) return peer.serve(socket)
    socket.once('data', () => peer.serve(socket))
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  t.teardown(() => {
    drop()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    ...peer,
    origin: `${peer.scheme ?? 'http'}://127.0.0.1:${port}`,
    drop,
    met: () => once(changes, 'met'),
    left: async () => {
      // One that reads nothing does not notice the end of the connection.
      for (const socket of open) if (peer.isDeaf) socket.resume()
      while (connections === 0 || open.size > 0) await once(changes, 'left')
    },
  }
}
