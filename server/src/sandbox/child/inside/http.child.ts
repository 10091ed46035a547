import { readBody, StreamBody } from './body.child.ts'
import type { AbortSignal } from './event.child.ts'
import { Headers } from './headers.child.ts'
import { natives } from './host.child.ts'
import { URL } from './url.child.ts'

/** The common part of requests and responses: a body that can be read once. */
class Message {
  readonly headers: Headers
  readonly #content: Uint8Array | StreamBody | undefined
  #used = false

  constructor(body: unknown, headers: unknown) {
    const { content, type } = readBody(body)
    this.#content = content
    this.headers = new Headers(headers ?? [])
    if (type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', type)
  }

  get bodyUsed(): boolean {
    return this.#used
  }

  /** Always null: bodies are complete. */
  get body(): null {
    return null
  }

  async #take(): Promise<Uint8Array> {
    if (this.#used) throw new TypeError('the body was already read')
    this.#used = true
    if (this.#content instanceof StreamBody) return await this.#content.read()
    return this.#content ?? new Uint8Array(0)
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

  /** @internal For copies and `fetch`. */
  static unread(message: Message): Uint8Array | StreamBody | undefined {
    if (message.#used) throw new TypeError('the body was already read')
    return message.#content
  }
}

export const unreadBody = Message.unread

/** Returns the body for a second message. */
function copiedBody(message: Message): Uint8Array | undefined {
  const content = unreadBody(message)
  if (content instanceof StreamBody) throw new TypeError('a message whose body is a stream cannot be cloned')
  return content
}

export interface RequestInit {
  readonly method?: unknown
  readonly headers?: unknown
  readonly body?: unknown
  readonly signal?: AbortSignal | null
  readonly redirect?: unknown
}

const redirects = ['follow', 'manual', 'error']

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
    if (!redirects.includes(this.redirect)) throw new TypeError('redirect is follow, manual or error')
    if (!/^[A-Z]{1,20}$/.test(this.method)) throw new TypeError('the method is not valid')
    if ((this.method === 'GET' || this.method === 'HEAD') && unreadBody(this)) {
      throw new TypeError('a GET or HEAD request cannot have a body')
    }
  }

  clone(): Request {
    return new Request(this, { body: copiedBody(this) })
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
    return new Response(copiedBody(this), { ...this, headers: this.headers })
  }
}
