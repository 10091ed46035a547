/** A request of `http` or `https`: it is sent by the mediated `fetch` when its body is complete. */
import { IncomingMessage, socketOf } from './http-message.child.ts'
import { optionsOf, type RequestTarget, targetOf } from './http-options.child.ts'
import { statusTexts } from './status-texts.child.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any
declare const require: (name: string) => Any
const { Writable } = require('node:stream')

/** Headers that the host sets itself. */
const managed =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|te|trailer|upgrade)$/i

const pairsOf = (headers: Any): readonly [string, Any][] => {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {})
  if (Array.isArray(headers[0])) return headers as [string, Any][]
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]] as [string, Any]] : []))
}

export class ClientRequest extends Writable {
  aborted = false
  reusedSocket = false
  maxHeadersCount = null
  readonly #target: RequestTarget
  readonly #headers = new Map<string, [name: string, value: Any]>()
  readonly #pieces: Uint8Array[] = []
  readonly #ended = new AbortController()
  #isClosed = false
  #timer: unknown
  #response: IncomingMessage | undefined

  constructor(protocol: 'http:' | 'https:', given: unknown[]) {
    const [options, callback] = optionsOf(given)
    const target = targetOf(options, protocol)
    super({ autoDestroy: false, emitClose: false })
    this.#target = target
    Object.assign(this, {
      protocol: target.protocol,
      method: target.method,
      host: target.host,
      path: target.path,
    })
    this.agent = options.agent
    for (const [name, value] of pairsOf(options.headers)) this.setHeader(name, value)
    if (options.auth && !this.hasHeader('authorization')) {
      this.setHeader('Authorization', `Basic ${Buffer.from(`${options.auth}`).toString('base64')}`)
    }
    this.socket = socketOf(target.protocol === 'https:')
    if (typeof callback === 'function') this.once('response', callback)
    if (options.timeout) this.setTimeout(options.timeout)
    const { signal } = options
    if (signal?.aborted) process.nextTick(() => this.destroy(signal.reason))
    signal?.addEventListener('abort', () => this.destroy(signal.reason))
    process.nextTick(() => {
      if (this.destroyed) return
      this.emit('socket', this.socket)
      // There is nobody to ask.
      if (this.hasHeader('expect')) this.emit('continue')
    })
  }

  setHeader(name: unknown, value: unknown): this {
    if (value === undefined) throw new TypeError(`Invalid value "undefined" for header "${name}"`)
    this.#headers.set(`${name}`.toLowerCase(), [`${name}`, value])
    return this
  }

  getHeader(name: unknown): Any {
    return this.#headers.get(`${name}`.toLowerCase())?.[1]
  }

  hasHeader(name: unknown): boolean {
    return this.#headers.has(`${name}`.toLowerCase())
  }

  removeHeader(name: unknown): void {
    this.#headers.delete(`${name}`.toLowerCase())
  }

  getHeaders(): object {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]))
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()]
  }

  getRawHeaderNames(): string[] {
    return [...this.#headers.values()].map(([name]) => name)
  }

  flushHeaders(): void {}
  setNoDelay(): void {}
  setSocketKeepAlive(): void {}

  /** Only says so: the caller ends the request, as in Node. */
  setTimeout(ms: unknown, callback?: () => void): this {
    if (callback) this.once('timeout', callback)
    clearTimeout(this.#timer as never)
    if (Number(ms) > 0) this.#timer = setTimeout(() => this.emit('timeout'), Number(ms))
    return this
  }

  get connection(): Any {
    return this.socket
  }

  abort(): void {
    this.aborted = true
    process.nextTick(() => this.emit('abort'))
    this.destroy(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
  }

  _write(piece: unknown, encoding: string, done: () => void): void {
    this.#pieces.push(
      typeof piece === 'string' ? Buffer.from(piece, encoding as 'utf8') : (piece as Uint8Array),
    )
    done()
  }

  _final(done: () => void): void {
    done()
    this.#send().catch(error => {
      clearTimeout(this.#timer as never)
      if (this.destroyed) return
      const { message } = error as Error
      this.destroy(Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' }))
    })
  }

  _destroy(error: unknown, done: (error: unknown) => void): void {
    clearTimeout(this.#timer as never)
    this.#ended.abort()
    this.#response?.destroy()
    done(error)
    process.nextTick(() => this.#close())
  }

  #close(): void {
    if (!this.#isClosed) this.emit('close')
    this.#isClosed = true
  }

  async #send(): Promise<void> {
    const { url, method } = this.#target
    const body = Buffer.concat(this.#pieces)
    const headers = [...this.#headers.values()].filter(([name]) => !managed.test(name))
    const response = await fetch(url, {
      method: this.method ?? method,
      headers: headers.flatMap(([name, value]) =>
        [value].flat().map(one => [name, `${one}`] as [string, string]),
      ),
      ...(body.length > 0 ? { body } : {}),
      redirect: 'manual',
      signal: this.#ended.signal,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (this.destroyed) return
    clearTimeout(this.#timer as never)
    const message = new IncomingMessage()
    this.#response = message
    message.statusCode = response.status
    message.statusMessage = statusTexts[response.status] ?? ''
    message.socket = this.socket
    Object.assign(message, { req: this })
    this.res = message
    message.once('close', () => this.#close())
    message.receive(response.headers, bytes)
    if (!this.emit('response', message)) message.resume()
  }
}
