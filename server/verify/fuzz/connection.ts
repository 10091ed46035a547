import { connect, type Socket } from 'node:net'

export interface Response {
  readonly status: number
  /** Names in lower case; the last value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** There was no response. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  /** True if the time limit passed while the connection was open. */
  readonly timedOut: boolean

  constructor(message: string, timedOut = false) {
    super(message)
    this.timedOut = timedOut
  }
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A kept-alive connection that can send any bytes: Node's client refuses most of them. Opened when needed, and again
 * after it was closed.
 */
export class FuzzConnection {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** @throws {NoResponse} if the server closes the connection or takes longer than `timeoutMs` */
  async exchange(bytes: Uint8Array, timeoutMs: number, isHead = false): Promise<Response> {
    const socket = await this.#open()
    try {
      const response = await read(socket, bytes, timeoutMs, isHead)
      if (response.headers.connection?.toLowerCase() === 'close') this.close()
      return response
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    const known = this.#socket
    if (known && !known.destroyed && known.writable && !known.readableEnded) return known
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    // Without a listener, an error between two exchanges would end the process.
    socket.on('error', () => {})
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', error => reject(new NoResponse(`no connection: ${error.message}`)))
    })
    this.#socket = socket
    return socket
  }
}

function read(socket: Socket, bytes: Uint8Array, timeoutMs: number, isHead: boolean): Promise<Response> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    let needed = 0
    const settle = (act: () => void) => {
      clearTimeout(alarm)
      socket.off('data', take)
      socket.off('close', hungUp)
      act()
    }
    const alarm = setTimeout(
      () => settle(() => reject(new NoResponse(`no response after ${timeoutMs} ms`, true))),
      timeoutMs,
    )
    const hungUp = () => settle(() => reject(new NoResponse('the server closed the connection')))
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received < needed) return
      const all = chunks.length === 1 ? chunk : Buffer.concat(chunks)
      chunks.splice(0, chunks.length, all)
      const parsed = parse(all, isHead)
      if (parsed === undefined)
        settle(() =>
          reject(
            new NoResponse(`a response without a Content-Length: ${all.toString('latin1').slice(0, 300)}`),
          ),
        )
      else if (typeof parsed === 'number') needed = parsed
      else settle(() => resolve(parsed))
    }
    socket.on('data', take)
    socket.once('close', hungUp)
    socket.write(bytes)
  })
}

/**
 * Returns the response, or the number of bytes needed before parsing again; `undefined` if the response has no
 * length.
 */
function parse(bytes: Buffer, isHead: boolean, start = 0): Response | number | undefined {
  const end = bytes.indexOf(headEnd, start)
  if (end === -1) return bytes.length + 1
  const [first = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n')
  const status = Number(first.slice(9, 12))
  const bodyStart = end + headEnd.length
  // Interim responses, such as 100 Continue.
  if (status < 200) return parse(bytes, isHead, bodyStart)
  const headers = Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  if (!isHead && headers['transfer-encoding'] === 'chunked')
    return parseChunks(bytes, bodyStart, status, headers)
  const length =
    isHead || status === 204 || status === 304 ? 0 : Number(headers['content-length'] ?? Number.NaN)
  if (Number.isNaN(length)) return undefined
  if (bytes.length < bodyStart + length) return bodyStart + length
  return { status, headers, body: bytes.toString('utf8', bodyStart, bodyStart + length) }
}

/** Like `parse`, for a body in chunks. */
function parseChunks(
  bytes: Buffer,
  start: number,
  status: number,
  headers: Response['headers'],
): Response | number {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) return bytes.length + 1
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    at = end + 2 + size + 2
    if (bytes.length < at) return at
    if (size === 0) return { status, headers, body: Buffer.concat(chunks).toString('utf8') }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
  }
}
