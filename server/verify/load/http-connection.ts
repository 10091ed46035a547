import { connect, type NetConnectOpts, type Socket } from 'node:net'

/** Writes the head of a request. */
export const head = (method: string, path: string, key: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: vault', `SVC-API-KEY: ${key}`, ...lines, '', ''].join('\r\n')

/** Writes a request with a body of JSON. */
export function withJson(method: string, path: string, key: string, body: string): string {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return head(method, path, key, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`) + body
}

interface Response {
  readonly status: number
  /** With the lengths of chunks, if it has chunks. */
  readonly body: string
}

const none = Buffer.of()
const timeoutMs = 60_000

/**
 * A connection that costs as little as possible, so that a load is that of the server: it writes requests as they are
 * given, one after the other, and reads responses just enough to know where they end.
 */
export class HttpConnection {
  readonly socket: Socket
  #received: Buffer = none
  #settle: { resolve(response: Response): void; reject(error: Error): void } | undefined
  #failure: Error | undefined

  constructor(options: NetConnectOpts) {
    this.socket = connect({ noDelay: true, timeout: timeoutMs, ...options })
    this.socket.on('data', chunk => this.#read(chunk))
    this.socket.on('timeout', () => this.socket.destroy(new Error(`nothing came for ${timeoutMs} ms`)))
    this.socket.on('error', error => this.#fail(error))
    this.socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  /** Sends a request. @throws if the connection ends before the response does */
  exchange(request: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      if (this.#failure) reject(this.#failure)
      else this.socket.write(request)
    })
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const start = this.#received.indexOf('\r\n\r\n') + 4
    if (start < 4) return
    const first = this.#received.toString('latin1', 0, start)
    const length = /\r\nContent-Length: (\d+)\r\n/i.exec(first)?.[1]
    const status = Number(first.slice(9, 12))
    const isWhole =
      length === undefined
        ? status === 204 || this.#received.subarray(-5).equals(lastChunk)
        : this.#received.length >= start + Number(length)
    if (!isWhole) return
    const body = this.#received.toString('utf8', start)
    this.#received = none
    this.#settle?.resolve({ status, body })
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#settle?.reject(this.#failure)
  }
}

const lastChunk = Buffer.from('0\r\n\r\n')
