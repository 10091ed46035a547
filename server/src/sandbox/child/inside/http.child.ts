import type { AbortSignal } from './event.child.ts'
import { Headers } from './headers.child.ts'
import { natives } from './host.child.ts'
import { utf8 } from './text-coding.child.ts'
import { URL, URLSearchParams } from './url.child.ts'

interface Read {
  readonly bytes: Uint8Array | undefined
  readonly type: string | undefined
}

function readBody(body: unknown): Read {
  if (body === null || body === undefined) return { bytes: undefined, type: undefined }
  if (body instanceof URLSearchParams) {
    return { bytes: utf8(body.toString()), type: 'application/x-www-form-urlencoded;charset=UTF-8' }
  }
  if (typeof body === 'object') {
    const bytes = natives.copy(body)
    if (!bytes) throw new TypeError('a body must be text, bytes or URLSearchParams')
    return { bytes, type: undefined }
  }
  return { bytes: utf8(`${body}`), type: 'text/plain;charset=UTF-8' }
}

/** The common part of requests and responses: a body that can be read once. */
class Message {
  readonly headers: Headers
  #bytes: Uint8Array | undefined
  #used = false

  constructor(body: unknown, headers: unknown) {
    const { bytes, type } = readBody(body)
    this.#bytes = bytes
    this.headers = new Headers(headers ?? [])
    if (type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', type)
  }

  get bodyUsed(): boolean {
    return this.#used
  }

  /** Always null: streams are not supported. */
  get body(): null {
    return null
  }

  async #take(): Promise<Uint8Array> {
    if (this.#used) throw new TypeError('the body was already read')
    this.#used = true
    return this.#bytes ?? new Uint8Array(0)
  }

  async bytes(): Promise<Uint8Array> {
    return natives.copy(await this.#take()) as Uint8Array
  }

  async arrayBuffer(): Promise<ArrayBufferLike> {
    return (await this.bytes()).buffer
  }

  async text(): Promise<string> {
    const text = natives.decode(await this.#take(), 'utf8') ?? ''
    return text[0] === '\ufeff' ? text.slice(1) : text
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** @internal For `clone` and `fetch`. */
  static unread(message: Message): Uint8Array | undefined {
    if (message.#used) throw new TypeError('the body was already read')
    return message.#bytes
  }
}

export const unreadBody = Message.unread

export interface RequestInit {
  readonly method?: unknown
  readonly headers?: unknown
  readonly body?: unknown
  readonly signal?: AbortSignal | null
  readonly redirect?: unknown
}

export class Request extends Message {
  readonly method: string
  readonly url: string
  readonly signal: AbortSignal | null
  readonly redirect: string

  constructor(input: unknown, init: RequestInit = {}) {
    const from = input instanceof Request ? input : undefined
    super(init.body ?? (from ? unreadBody(from) : null), init.headers ?? from?.headers)
    this.method = `${init.method ?? from?.method ?? 'GET'}`.toUpperCase()
    this.url = from ? from.url : new URL(input).href
    this.signal = init.signal ?? from?.signal ?? null
    this.redirect = `${init.redirect ?? from?.redirect ?? 'follow'}`
    if (!/^[A-Z]{1,20}$/.test(this.method)) throw new TypeError('the method is not valid')
    if ((this.method === 'GET' || this.method === 'HEAD') && unreadBody(this)) {
      throw new TypeError('a GET or HEAD request cannot have a body')
    }
  }

  clone(): Request {
    return new Request(this)
  }
}

export class Response extends Message {
  readonly status: number
  readonly statusText: string
  readonly url: string = ''
  readonly redirected = false
  readonly type = 'default'

  constructor(body: unknown = null, init: { status?: number; statusText?: string; headers?: unknown } = {}) {
    super(body, init.headers)
    this.status = Number(init.status ?? 200)
    if (!(this.status >= 200 && this.status <= 599)) throw new RangeError('a status must be from 200 to 599')
    this.statusText = `${init.statusText ?? ''}`
  }

  static json(
    value: unknown,
    init: { status?: number; statusText?: string; headers?: unknown } = {},
  ): Response {
    const response = new Response(JSON.stringify(value), init)
    response.headers.set('content-type', 'application/json')
    return response
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  clone(): Response {
    return new Response(unreadBody(this), { ...this, headers: this.headers })
  }
}
