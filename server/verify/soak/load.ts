import type { JsonObject } from '../../src/base/json/json.ts'
import { keys } from '../support/callers.ts'
import { cardNumber } from '../support/canaries.ts'
import { Dice } from '../support/dice.ts'
import { makeReactorOver, mustCallOver } from '../support/started-replicas.ts'

/** The tokens that are kept: from then on each create is balanced by a delete or an expiry. */
const mostTokens = 1000

const code = `module.exports = async ({ args }) => ({
  raw: { length: String(args.card).length },
  tokenize: { type: 'token', data: 'made', expires_at: args.until },
})`

/** Mixed requests in proportions that an application might have, one after the other. */
export class SoakLoad {
  readonly #url: string
  readonly #dice: Dice
  readonly #ids: string[] = []
  #reactor = ''
  #count = 0

  constructor(port: number, seed: string) {
    this.#url = `http://127.0.0.1:${port}`
    this.#dice = new Dice(seed)
  }

  async prepare(nowMs: number): Promise<void> {
    this.#reactor = await makeReactorOver(this.#url, keys.management, code)
    // A development server keeps the last thousand webhooks, so its memory grows until then.
    const until = new Date(nowMs + 3_600_000).toISOString()
    for (let n = 0; n < 1000; n++) await this.#reactLater(until)
  }

  /** The number of requests so far. */
  get count(): number {
    return this.#count
  }

  /** Sends the next request. @throws {Error} if it does not succeed */
  async send(nowMs: number): Promise<unknown> {
    const dice = this.#dice
    const n = this.#count
    const soon = new Date(nowMs + 3_600_000).toISOString()
    const id = this.#ids[dice.int(0, Math.max(0, this.#ids.length - 1))]
    if (id === undefined) return this.#create(n)
    const { private: key, masked, public: shown } = keys
    const short = { type: 'token', data: `short ${n}`, expires_at: soon }
    const query = `metadata.group:${dice.int(0, 9)} AND type:card`
    const args = { card: `{{ ${id} | json: '$.number' }}`, until: soon }
    return dice.weighted<() => Promise<unknown>>([
      [20, () => (this.#ids.length < mostTokens ? this.#create(n) : this.#remove())],
      [5, () => this.#ask('POST', '/tokens', 201, key, short)],
      [5, () => this.#remove()],
      [25, () => this.#ask('GET', `/tokens/${id}`, 200, key)],
      [10, () => this.#ask('GET', `/tokens/${id}`, 200, masked)],
      [10, () => this.#ask('PATCH', `/tokens/${id}`, 200, key, { metadata: { changed: String(n) } })],
      [5, () => this.#ask('GET', '/tokens?size=20', 200, masked)],
      [10, () => this.#ask('POST', '/tokens/search', 200, masked, { query })],
      [3, () => this.#ask('POST', '/sessions', 201, shown)],
      [4, () => this.#ask('POST', this.#reactor, 200, key, { args })],
      [3, () => this.#reactLater(soon)],
    ])()
  }

  #reactLater(until: string): Promise<unknown> {
    const callback_url = 'https://inbox.surrogate.invalid'
    return this.#ask('POST', this.#reactor, 202, keys.private, { args: { card: 'x', until }, callback_url })
  }

  async #create(n: number): Promise<void> {
    const card = {
      type: 'card',
      data: { number: cardNumber(n), expiration_month: 12, expiration_year: 2040, cvc: '123' },
      metadata: { group: String(n % 10) },
    }
    const headers = { 'SVC-IDEMPOTENCY-KEY': `soak-${n}` }
    const { id } = await this.#ask('POST', '/tokens', 201, keys.private, card, headers)
    this.#ids.push(String(id))
  }

  async #remove(): Promise<void> {
    const [id] = this.#ids.splice(this.#dice.int(0, this.#ids.length - 1), 1)
    await this.#ask('DELETE', `/tokens/${id}`, 204, keys.private)
  }

  #ask(method: string, path: string, wanted: number, key: string, body?: JsonObject, headers = {}) {
    this.#count++
    return mustCallOver(wanted, this.#url, key, method, path, body, headers)
  }
}
