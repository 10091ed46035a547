import { randomInt } from 'node:crypto'
import type { JsonValue } from '../../src/base/json/json.ts'
import { cardNumber } from './cards.ts'
import { type Content, Ledger } from './ledger.ts'

/** One round of writing. */
export interface Load {
  /** The current servers; each request goes to a random one. */
  urls(): readonly string[]
  isOver(): boolean
  /** True if this server was ended, so that requests to it may fail in any way. */
  isGone(url: string): boolean
  /** Called for each successful response. */
  onAnswer(): void
  /** Called for each 503 with a Retry-After; without this function they are faults. */
  onRefusal?(): void
  /** Called for each unexpected response. */
  readonly faults: string[]
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  readonly json: any
}

const clients = 16

const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('')

/**
 * Clients that create, change and delete their own tokens, and record the responses in a ledger. Afterwards exactly
 * the acknowledged changes must be present, and complete.
 */
export class WritingClients {
  readonly ledger = new Ledger()
  readonly #key: string
  #marks = 0

  constructor(key: string) {
    this.#key = key
  }

  async write(load: Load): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#writeOwn(load)))
  }

  /** Returns content that no other token has. */
  newContent(): Content {
    const mark = String(this.#marks++)
    const card = { number: cardNumber(this.#marks), expiration_month: 12, expiration_year: 2031 }
    const kinds: readonly (readonly [type: string, data: JsonValue])[] = [
      ['card', card],
      ['card', { ...card, cvc: digits(3) }],
      ['card_number', card.number],
      ['bank', { routing_number: '110000000', account_number: digits(12) }],
      ['social_security_number', digits(9)],
      ['token', { note: 'n'.repeat(randomInt(20_000)), list: [1, null, { deep: true }], mark }],
    ]
    const [type, data] = kinds[randomInt(kinds.length)] ?? ['token', mark]
    return { type, data, metadata: { mark } }
  }

  /** Returns all listed tokens, page by page, with duplicates. */
  async list(url: string): Promise<{ readonly ids: string[]; readonly total: number }> {
    const ids: string[] = []
    for (let page = 1; ; page++) {
      const { json } = await this.call(url, 'GET', `/tokens?page=${page}&size=100`)
      for (const { id } of json.data) ids.push(id)
      if (page >= json.pagination.total_pages) return { ids, total: json.pagination.total_items }
    }
  }

  /** Reads every token of the ledger and the lists. Returns the existing ones, and reports faults. */
  async check(url: string, listed: readonly string[], faults: string[]): Promise<string[]> {
    const ids = [...new Set([...this.ledger.ids, ...listed])]
    const present: string[] = []
    const reader = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        const { status, json } = await this.call(url, 'GET', `/tokens/${id}`)
        if (status === 200) present.push(id)
        else if (status !== 404) faults.push(`reading ${id} responded with ${status}`)
        const found =
          status === 200 ? { type: json.type, data: json.data, metadata: json.metadata } : 'absent'
        const fault = this.ledger.settle(id, found)
        if (fault !== undefined) faults.push(fault)
      }
    }
    await Promise.all(Array.from({ length: clients }, reader))
    this.ledger.endRound()
    return present
  }

  async call(url: string, method: string, path: string, body?: JsonValue): Promise<Reply> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(url + path, {
      method,
      headers: { 'SVC-API-KEY': this.#key, ...(body === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, headers } = response
    const text = await response.text()
    return { status, headers, json: text === '' ? undefined : JSON.parse(text) }
  }

  /** Resolves with the response of a server; `undefined` if there was none, and the effect is unknown. */
  async ask(
    load: Load,
    wanted: number,
    method: string,
    path: string,
    body?: JsonValue,
  ): Promise<Reply | undefined> {
    const urls = load.urls()
    const url = urls[randomInt(urls.length)] ?? ''
    const reply = await this.call(url, method, path, body).catch(error => {
      if (!load.isGone(url)) throw error
    })
    if (!reply) return undefined
    const { status, headers } = reply
    if (status === 503 && load.onRefusal && headers.has('Retry-After')) return void load.onRefusal()
    if (status !== wanted) return void load.faults.push(`${method} ${path} responded with ${status}`)
    load.onAnswer()
    return reply
  }

  async #writeOwn(load: Load): Promise<void> {
    const own: { readonly id: string; content: Content }[] = []
    while (!load.isOver()) {
      const place = randomInt(own.length + 1)
      const token = own[place]
      const choice = randomInt(10)
      if (!token || choice < 6) {
        const made = await this.#create(load)
        if (made) own.push(made)
        continue
      }
      const next = choice < 8 ? await this.#patch(load, token) : await this.#remove(load, token.id)
      // A token whose state is unknown is not used any more: both states are allowed.
      own.splice(place, 1, ...(next ? [next] : []))
    }
  }

  async #create(load: Load) {
    const content = this.newContent()
    const id = randomInt(3) === 0 ? `own-${content.metadata.mark}` : undefined
    if (id === undefined) this.ledger.sentUnnamed(content)
    else this.ledger.sent(id, content)
    const reply = await this.ask(load, 201, 'POST', '/tokens', {
      ...content,
      ...variations(),
      ...(id === undefined ? {} : { id }),
    })
    if (!reply) return undefined
    const made: string = reply.json.id
    if (id === undefined) this.ledger.answeredUnnamed(made, content)
    else this.ledger.answered(id, content)
    return { id: made, content }
  }

  async #patch(load: Load, { id, content }: { readonly id: string; readonly content: Content }) {
    const { type, data, metadata } = content
    const change = {
      metadata: { patched: String(randomInt(1000)) },
      ...(type === 'card' ? { data: { expiration_year: 2040 } } : {}),
    }
    const merged = type === 'card' ? { ...(data as object), expiration_year: 2040 } : data
    const next = { type, data: merged, metadata: { ...metadata, ...change.metadata } }
    this.ledger.sent(id, next)
    if (!(await this.ask(load, 200, 'PATCH', `/tokens/${id}`, change))) return undefined
    this.ledger.answered(id, next)
    return { id, content: next }
  }

  async #remove(load: Load, id: string) {
    this.ledger.sent(id, 'absent')
    if (await this.ask(load, 204, 'DELETE', `/tokens/${id}`)) this.ledger.answered(id, 'absent')
    return undefined
  }
}

/** Returns further members of a create that do not change its content. */
function variations() {
  return {
    ...(randomInt(4) === 0 ? { containers: ['/a/b/', `/c/${randomInt(3)}/`] } : {}),
    ...(randomInt(4) === 0 ? { deduplicate_token: true } : {}),
    ...(randomInt(4) === 0 ? { expires_at: '2999-01-01T00:00:00Z' } : {}),
  }
}
