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

const peer = (
  name: string,
  [head, body, decoded]: readonly [head: Head, body?: Body, decoded?: Body],
  serve: HostilePeer['serve'],
  more: Pick<HostilePeer, 'scheme' | 'atOnce' | 'isDeaf'> = {},
): HostilePeer => ({ name, head, ...(body && { body }), ...(decoded && { decoded }), serve, ...more })

export const hostilePeers: readonly HostilePeer[] = [
  peer(
    '101 with Upgrade',
    ['network'],
    says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  ),
  peer('101 without Upgrade', ['network'], says('HTTP/1.1 101 Switching Protocols\r\n\r\n')),
  peer('200 with Upgrade', [200, 'time'], says(`${ok}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`)),
  peer('a flood of 100', ['network'], floods('', 'HTTP/1.1 100 Continue\r\n\r\n')),
  peer('a flood of 103', ['network'], floods('', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n')),
  peer('one 103, then silence', ['time'], says('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n')),
  peer('half a status line', ['time'], says('HTTP/1.1 20')),
  peer('a trickle of the head', ['time'], trickles(`${ok}A: `, 'x')),
  peer('a trickle of the body', [200, 'time'], trickles(`${ok}\r\n`, 'x')),
  peer('a trickle of chunks', [200, 'time'], trickles(chunked, '1\r\nx\r\n')),
  peer('no answer', ['time'], () => {}),
  peer('a connection that is never read', ['time'], () => {}, { isDeaf: true }),
  peer('an answer without reading the request', [200, 'whole'], says(`${ok}Content-Length: 2\r\n\r\nab`), {
    isDeaf: true,
  }),
  peer('closes without an answer', ['network'], socket => void socket.end()),
  peer('resets at once', ['network'], socket => void socket.resetAndDestroy(), { atOnce: true }),
  peer('ends within the headers', ['network'], ends(`${ok}A: b\r\n`)),
  peer('ends after the headers', [200, 'network'], ends(`${ok}Content-Length: 5\r\n\r\n`)),
  peer('ends within the body', [200, 'network'], ends(`${ok}Content-Length: 5\r\n\r\nab`)),
  peer('ends within a chunk', [200, 'network'], ends(`${chunked}5\r\nab`)),
  peer(
    'resets within the body',
    [200, 'network'],
    socket =>
      void socket.write(`${ok}Content-Length: 5\r\n\r\nab`, () =>
        setTimeout(() => socket.resetAndDestroy(), 30),
      ),
  ),
  peer('a flood of trailers', [200, 'network'], floods(`${chunked}0\r\n`, 'A: b\r\n')),
  peer('a trickle of trailers', [200, 'time'], trickles(`${chunked}0\r\n`, 'A: b\r\n')),
  peer('an endless chunk extension', [200, 'network'], floods(`${chunked}5;a=`, 'x')),
  peer('headers without end', ['network'], floods(ok, 'A: b\r\n')),
  peer('a header of 100 kB', ['network'], says(`${ok}A: ${'b'.repeat(100_000)}\r\n\r\n`)),
  peer('a text without headers, as in HTTP/0.9', ['network'], ends('<html>hello</html>')),
  peer('binary garbage', ['network'], says(Buffer.alloc(5_000, 0x80))),
  peer('two responses', [200, 'whole'], says(`${ok}Content-Length: 2\r\n\r\nab`.repeat(2))),
  peer('more than its Content-Length', [200, 'whole'], says(`${ok}Content-Length: 2\r\n\r\nab and more`)),
  peer('two lengths', ['network'], says(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`)),
  peer(
    'a length and chunks',
    ['network'],
    says(`${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  ),
  peer('chunks of garbage', [200, 'network'], says(`${chunked}zz\r\nab\r\n`)),
  peer('a bomb of gzip', [200, 'whole', 'size'], socket => {
    const packed = gzipSync(Buffer.alloc(5_000_000))
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
    socket.write(packed)
  }),
  peer(
    'gzip that is none',
    [200, 'whole', 'network'],
    says(`${ok}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde`),
  ),
  peer('a body without end', [200, 'size'], floods(`${ok}\r\n`, 'x')),
  peer('chunks without end', [200, 'size'], floods(chunked, `64\r\n${'x'.repeat(100)}\r\n`)),
  peer('status 999', ['network'], says('HTTP/1.1 999 Beyond\r\nContent-Length: 0\r\n\r\n')),
  peer('status 000', ['network'], says('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n')),
  peer('status 99', ['network'], says('HTTP/1.1 99 Short\r\nContent-Length: 0\r\n\r\n')),
  peer('no TLS, but text', ['network'], says(`${ok}\r\n`), { scheme: 'https' }),
  peer('no TLS, and no word', ['time'], () => {}, { scheme: 'https' }),
  peer('half a handshake', ['time'], says(Buffer.from([22, 3, 3, 0, 90, 2, 0])), { scheme: 'https' }),
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
