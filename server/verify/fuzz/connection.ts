import { connect, type Socket } from 'node:net'
import { parseMessage } from './message.ts'

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

/**
 * A kept-alive connection that can send any bytes: Node's client refuses most of them. Opened when needed, and again
 * after it was closed.
 */
export class FuzzConnection {
  readonly #port: number
  readonly #localAddress: string | undefined
  #socket: Socket | undefined

  constructor(port: number, localAddress?: string) {
    this.#port = port
    this.#localAddress = localAddress
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
    const local = this.#localAddress === undefined ? {} : { localAddress: this.#localAddress }
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, ...local })
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
    let [chunks, received, needed]: [Buffer[], number, number] = [[], 0, 0]
    const settle = (outcome: Response | NoResponse) => {
      clearTimeout(alarm)
      socket.off('data', take)
      socket.off('close', hungUp)
      if (outcome instanceof NoResponse) reject(outcome)
      else resolve(outcome)
    }
    const alarm = setTimeout(
      () => settle(new NoResponse(`no response after ${timeoutMs} ms`, true)),
      timeoutMs,
    )
    const hungUp = () => settle(new NoResponse('the server closed the connection'))
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received < needed) return
      chunks = [Buffer.concat(chunks)]
      try {
        const parsed = parse(chunks[0] as Buffer, isHead)
        if (typeof parsed === 'number') needed = parsed
        else settle(parsed)
      } catch (error) {
        settle(new NoResponse((error as Error).message))
      }
    }
    socket.on('data', take)
    socket.once('close', hungUp)
    socket.write(bytes)
  })
}

/** Returns the response, or the number of bytes needed before parsing again. */
function parse(bytes: Buffer, isHead: boolean, start = 0): Response | number {
  const statusOf = (first: string) => Number(first.slice(9, 12))
  const isBodiless = (first: string) => isHead || statusOf(first) < 200 || /^.{9}(204|304)/.test(first)
  const message = parseMessage(bytes, start, Number.NaN, isBodiless)
  if (typeof message === 'number') return message
  const { first, headers, body, end } = message
  // Interim responses, such as 100 Continue.
  if (statusOf(first) < 200) return parse(bytes, isHead, end)
  return { status: statusOf(first), headers, body: body.toString() }
}
