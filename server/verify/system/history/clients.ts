import type { JsonObject } from '../../../src/base/json/json.ts'
import { generate } from '../../load/generate.ts'
import { Dice } from '../../support/dice.ts'
import { type Answer, type Call, fieldNames, type Request, type Shown } from './call.ts'
import { exchange, type Reply, type Sending, type Servers } from './connection.ts'

export interface ClientOptions {
  readonly seed: string
  readonly servers: Servers
  readonly key: string
  /** Called for each response. */
  onAnswer(): void
  /** Called for each request without one, and for each 503. */
  onLost?(): void
}

const clients = 8
/** Few of each, so that clients meet at the same tokens. */
const ids = ['own-0', 'own-1', 'own-2']
const values = ['value 0', 'value 1', 'value 2']
const groups = ['g0', 'g1', 'g2']

/** A request that was sent and has no outcome yet. */
interface Sent {
  /** Records the response. */
  answered(answer: Answer): void
  /** Records that the outcome will stay unknown. */
  lost(): void
}

/** Records what clients see, in one order of all requests and responses. */
class Recorder {
  readonly calls: Call[] = []
  #last = 0

  send(client: string, request: Request): Sent {
    const from = ++this.#last
    return {
      answered: answer => void this.calls.push({ client, from, to: ++this.#last, request, answer }),
      lost: () => void this.calls.push({ client, from, request }),
    }
  }
}

/** Clients of one tenant that work on the same tokens at once, and record what they see. */
export class HistoryClients {
  readonly #options: ClientOptions
  readonly #recorder = new Recorder()
  readonly #faults: string[] = []
  /** Ids that a response has shown, except those that clients choose. */
  readonly #known: string[] = []
  #marks = 0
  #isOver = false

  constructor(options: ClientOptions) {
    this.#options = options
  }

  get calls(): readonly Call[] {
    return this.#recorder.calls
  }

  /** Responses that no request may have, whatever happened before. */
  get faults(): readonly string[] {
    return this.#faults
  }

  /** Sends about this many requests, or until `stop`. */
  async run(requests = Number.POSITIVE_INFINITY): Promise<void> {
    this.#isOver = false
    const dice = Array.from({ length: clients }, (_, n) => new Dice(`${this.#options.seed} client ${n}`))
    await generate({
      senders: clients,
      requests,
      isOver: () => this.#isOver || this.#faults.length > 0,
      send: (_, n) => this.#next(`client ${n}`, dice[n] as Dice),
    })
  }

  stop(): void {
    this.#isOver = true
  }

  /** Lists all tokens, and reads each token that was ever shown. */
  async readAll(): Promise<void> {
    const dice = new Dice(`${this.#options.seed} end`)
    await this.#walk('end', dice, undefined, 100)
    const unread = [...new Set([...ids, ...this.#known])]
    await generate({
      senders: clients,
      requests: unread.length,
      send: n => this.#read('end', dice, unread[n] ?? ''),
    })
  }

  #next(name: string, dice: Dice): Promise<void> {
    const mark = `m${this.#marks++}`
    const group = dice.pick(groups)
    const anyId = () => {
      // Mostly recent ones: clients should meet.
      const recent = this.#known.slice(dice.chance(0.8) ? -8 : 0)
      return dice.chance(0.25) || recent.length === 0 ? dice.pick(ids) : dice.pick(recent)
    }
    return dice.weighted<() => Promise<void>>([
      [8, () => this.#create(name, dice, { do: 'create', mark, group })],
      [8, () => this.#create(name, dice, { do: 'create', mark, group, id: dice.pick(ids) })],
      [12, () => this.#create(name, dice, { do: 'create', mark, group, value: dice.pick(values) })],
      [10, () => this.#update(name, dice, { do: 'update', id: anyId(), field: 'a', text: mark })],
      [10, () => this.#update(name, dice, { do: 'update', id: anyId(), field: 'b', text: mark })],
      [8, () => this.#update(name, dice, { do: 'update', id: anyId(), field: 'group', text: group })],
      [20, () => this.#delete(name, dice, anyId())],
      [24, () => this.#read(name, dice, anyId())],
      [4, () => this.#walk(name, dice, undefined, dice.pick([5, 20, 100]))],
      [6, () => this.#walk(name, dice, group, dice.pick([3, 20, 100]))],
    ])()
  }

  async #create(name: string, dice: Dice, request: Extract<Request, { do: 'create' }>): Promise<void> {
    const { mark, group, id, value } = request
    const body = {
      type: 'token',
      data: value ?? `data of ${mark}`,
      metadata: { mark, a: '', b: '', group },
      ...(id === undefined ? {} : { id }),
      ...(value === undefined ? {} : { deduplicate_token: true }),
    }
    const sending = { method: 'POST', path: '/tokens', body }
    // What a repeated create of a deduplicated value found cannot be told from what it made.
    const isKeyed = value === undefined && dice.chance(0.3)
    await this.#writeOnce(name, dice, request, isKeyed ? { ...sending, idempotencyKey: mark } : sending, {
      // The answer to a repeated request shows the token as it is now, so it is not recorded. Its id must not become
      // known either: a delete by that id could not be matched with a create.
      201: ({ json }, isRepeated) =>
        isRepeated ? { is: 'done' } : { is: 'token', token: this.#shown(json), isNew: true },
      200: ({ json }) => ({ is: 'token', token: this.#shown(json), isNew: false }),
      // The receipt says that it was created; it has been deleted since.
      404: (_, isRepeated) => (isRepeated ? { is: 'done' } : undefined),
      409: () => ({ is: 'taken' }),
    })
  }

  async #update(name: string, dice: Dice, request: Extract<Request, { do: 'update' }>): Promise<void> {
    const { id, field, text } = request
    const sending = { method: 'PATCH', path: `/tokens/${id}`, body: { metadata: { [field]: text } } }
    const isKeyed = dice.chance(0.3)
    const key = `${name} ${this.#marks} ${text}`
    await this.#writeOnce(name, dice, request, isKeyed ? { ...sending, idempotencyKey: key } : sending, {
      200: ({ json }, isRepeated) => {
        const token = this.#shown(json)
        return isRepeated ? { is: 'done' } : { is: 'token', token, isNew: false }
      },
      // After a repeated request: updated and then deleted, or never updated.
      404: (_, isRepeated) => (isRepeated ? 'lost' : { is: 'absent' }),
    })
  }

  async #delete(name: string, dice: Dice, id: string): Promise<void> {
    const sending = { method: 'DELETE', path: `/tokens/${id}` }
    await this.#writeOnce(name, dice, { do: 'delete', id }, sending, {
      204: () => ({ is: 'done' }),
      404: () => ({ is: 'absent' }),
    })
  }

  /** Sends a write; with an idempotency key again and again, until there is a response. */
  async #writeOnce(
    name: string,
    dice: Dice,
    request: Request,
    sending: Sending,
    outcomes: Readonly<
      Record<number, (reply: Exclude<Reply, 'lost'>, isRepeated: boolean) => Answer | 'lost' | undefined>
    >,
  ): Promise<void> {
    const sent = this.#recorder.send(name, request)
    for (let isRepeated = false; ; isRepeated = true) {
      const reply = await this.#exchange(dice, sending)
      if (reply === 'lost') {
        if (sending.idempotencyKey !== undefined) continue
        return sent.lost()
      }
      // The request before is still being performed.
      if (reply.status === 409 && reply.json.type?.endsWith('idempotency_conflict')) continue
      this.#settle(sent, sending, reply, outcomes[reply.status]?.(reply, isRepeated))
      return
    }
  }

  async #read(name: string, dice: Dice, id: string): Promise<void> {
    const sending = { method: 'GET', path: `/tokens/${id}` }
    const sent = this.#recorder.send(name, { do: 'read', id })
    const reply = await this.#untilAnswered(dice, sending)
    const answer: Answer | undefined =
      reply.status === 200
        ? { is: 'token', token: this.#shown(reply.json, true), isNew: false }
        : reply.status === 404
          ? { is: 'absent' }
          : undefined
    this.#settle(sent, sending, reply, answer)
  }

  /** Reads all pages of a list, or of a search for a group. */
  async #walk(name: string, dice: Dice, group: string | undefined, size: number): Promise<void> {
    let after: string | undefined
    for (let start: string | undefined; ; ) {
      const from = start === undefined ? {} : { start }
      const sending: Sending =
        group === undefined
          ? { method: 'GET', path: `/tokens?${new URLSearchParams({ size: String(size), ...from })}` }
          : {
              method: 'POST',
              path: '/tokens/search',
              body: { query: `metadata.group:${group}`, size, ...from } satisfies JsonObject,
            }
      const request: Request = {
        do: 'page',
        ...(group === undefined ? {} : { group }),
        ...(after === undefined ? {} : { after }),
      }
      const sent = this.#recorder.send(name, request)
      const reply = await this.#untilAnswered(dice, sending)
      if (reply.status !== 200) return this.#settle(sent, sending, reply, undefined)
      const tokens: Shown[] = reply.json.data.map((token: JsonObject) => this.#shown(token, true))
      const { total_items, next } = reply.json.pagination
      this.#settle(sent, sending, reply, {
        is: 'page',
        tokens,
        total: total_items,
        isLast: next === undefined,
      })
      if (next === undefined) return
      start = next
      after = tokens.at(-1)?.createdAt ?? after
    }
  }

  /** Repeats a read until there is a response. */
  async #untilAnswered(dice: Dice, sending: Sending): Promise<Exclude<Reply, 'lost'>> {
    for (;;) {
      const reply = await this.#exchange(dice, sending)
      if (reply !== 'lost') return reply
    }
  }

  async #exchange(dice: Dice, sending: Sending): Promise<Reply> {
    const { servers, key } = this.#options
    const reply = await exchange(servers, key, sending, urls => dice.pick(urls))
    if (reply === 'lost') this.#options.onLost?.()
    else this.#options.onAnswer()
    return reply
  }

  #settle(
    sent: Sent,
    { method, path }: Sending,
    { status, json }: Exclude<Reply, 'lost'>,
    answer: Answer | 'lost' | undefined,
  ): void {
    if (answer === undefined)
      this.#faults.push(`${method} ${path} had status ${status}: ${JSON.stringify(json)}`)
    if (answer === undefined || answer === 'lost') sent.lost()
    else sent.answered(answer)
  }

  // biome-ignore lint/suspicious/noExplicitAny: JSON of a response
  #shown(token: any, isRevealed = false): Shown {
    const { id, created_at, metadata, data } = token
    if (!ids.includes(id) && !this.#known.includes(id)) this.#known.push(id)
    const fields = Object.fromEntries(fieldNames.map(name => [name, metadata[name]])) as Shown['fields']
    if (isRevealed && data !== `data of ${metadata.mark}` && !values.includes(data))
      this.#faults.push(`${id} has other data than it was created with`)
    return { id, mark: metadata.mark, fields, createdAt: created_at }
  }
}
