import { connect, type Socket } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')
const contentLength = /content-length: *(\d+)/i

/** Handles a response. The body is a view that is only valid until the next request. */
export type OnAnswer = (status: number, body: Buffer) => void

/**
 * A kept-alive HTTP/1.1 connection that supports only what these servers need: one request at a time, responses
 * with a Content-Length. Node's client takes three times as much processor time, which on two cores would slow down
 * the measured server.
 */
export class Connection {
  readonly #socket: Socket
  #pending: Buffer | undefined
  #onAnswer: OnAnswer | undefined
  #onError: (error: Error) => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', error => this.#onError(error))
    socket.on('close', () => this.#onError(new Error('the server closed a connection')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  /** Servers close connections that are idle for long. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  send(request: string, onAnswer: OnAnswer, onError: (error: Error) => void): void {
    this.#onAnswer = onAnswer
    this.#onError = onError
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#onError = () => {}
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk
    const end = bytes.indexOf(headEnd)
    const head = end === -1 ? '' : bytes.toString('latin1', 0, end)
    const length = contentLength.exec(head)?.[1]
    const bodyStart = end + headEnd.length
    if (end !== -1 && length === undefined) {
      this.#onError(new Error(`a response without a Content-Length: ${head}`))
      return
    }
    if (end === -1 || bytes.length < bodyStart + Number(length)) {
      this.#pending = bytes
      return
    }
    this.#pending = undefined
    // "HTTP/1.1 201 …"
    this.#onAnswer?.(Number(head.slice(9, 12)), bytes.subarray(bodyStart))
  }
}
