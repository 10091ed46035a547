import { setTimeout as wait } from 'node:timers/promises'
import type { Capability } from '../capabilities.ts'
import type { Inbox } from './callback.ts'
import { Checks } from './checks.ts'
import type { Contract } from './contract.ts'
import { canonical, expectEqual, Finding, NotSupported, type Profile } from './finding.ts'
import { Interrupted, reasonOf } from './guard.ts'
import type { Patience } from './patience.ts'
import { NoAnswer, type Recorder } from './recorder.ts'
import type { Call, Reply, SendOptions, Subject } from './target.ts'

type Members = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: the case itself checks the form of a response
type Answer = any

/** The parts of a run that a context needs. */
export interface Surroundings {
  readonly target: Subject
  readonly recorder: Recorder
  readonly has: (capability: Capability) => boolean
  readonly inbox: () => Promise<Inbox>
  /** With results that come later, and with searches that lag behind. */
  readonly patience: { readonly results: Patience; readonly searches: Patience }
  /** Makes something once for all cases of a run, with tools of its own. */
  readonly shared: <T>(name: string, make: (context: Context) => Promise<T>) => Promise<T>
}

export interface MadeApplication {
  readonly id: string
  readonly key: string
  readonly call: Call
}

/** The tools of a case: callers, functions that create what it needs, and functions that check responses. */
export class Context extends Checks {
  /** A text unique to this run of this case, for ids, metadata and names. */
  readonly tag = `c${crypto.randomUUID().replaceAll('-', '')}`
  /** A container that no other case uses. */
  readonly container = `/${this.tag}/`
  /** Functions that send requests with the keys of the target. */
  readonly asPrivate: Call
  readonly asPublic: Call
  readonly asManagement: Call
  readonly asOther: Call
  readonly asOtherManagement: Call
  readonly target: Subject
  readonly contract: Contract
  readonly #recorder: Recorder
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    super()
    const { target, recorder } = around
    this.target = target
    this.contract = recorder.contract
    this.#recorder = recorder
    this.#around = around
    this.asPrivate = recorder.caller(target.privateKey)
    this.asPublic = recorder.caller(target.publicKey)
    this.asManagement = recorder.caller(target.managementKey)
    this.asOther = recorder.caller(target.otherPrivateKey)
    this.asOtherManagement = recorder.caller(target.otherManagementKey)
  }

  as(key: string | undefined): Call {
    return this.#recorder.caller(key)
  }

  has(capability: Capability): boolean {
    return this.#around.has(capability)
  }

  /**
   * Sends a body that is too large, up to five times if there is no response: a server may close the connection before
   * it has read the whole body, and its response can be lost then. Uses a separate connection, so that the unread rest
   * does not precede the request of another case.
   */
  async oversized(send: (options: SendOptions) => Promise<Reply>): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send({ headers: { Connection: 'close' } })
      } catch (error) {
        if (!(error instanceof NoAnswer) || attempt === 5) throw error
      }
    }
  }

  /** Returns the options of a request with an idempotency key. */
  keyed(key = this.tag): { readonly headers: Readonly<Record<string, string>> } {
    return { headers: { [`${this.target.headerPrefix}-IDEMPOTENCY-KEY`]: key } }
  }

  /**
   * Polls until `ask` resolves with a value. Throws a `Finding` if that takes too long.
   * @param withinMs of what takes a time that is known
   */
  async eventually<T>(ask: () => Promise<T | undefined>, what: string, withinMs?: number): Promise<T> {
    const { results } = this.#around.patience
    const limitMs = withinMs ?? results.limitMs
    const begun = performance.now()
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      // An answer may take longer than the limit.
      const isLast = performance.now() - begun > limitMs
      const found = await ask()
      if (found !== undefined) {
        if (withinMs === undefined) results.met(performance.now() - begun)
        return found
      }
      if (isLast) break
      await wait(pause)
    }
    if (withinMs === undefined) results.inVain()
    throw new Finding(`${what} did not happen within ${Math.round(limitMs)} ms`)
  }

  // ----------------------------------------------------------------------------------------------- creating

  /** Creates a token and returns it; by default of type `token` and in this case's container. */
  async token(members: Members = {}, call: Call = this.asPrivate): Promise<Answer> {
    const body = { type: 'token', data: this.tag, containers: [this.container], ...members }
    const what = `a token with ${canonical(members).slice(0, 200)}`
    const reply = this.success(await call('POST', '/tokens', body), 201, what)
    this.ok(typeof reply.body?.id === 'string', 'a created token has an id', reply.body?.id)
    return reply.body
  }

  /** Returns what is at a path, by default for the management application. */
  async get(path: string, call: Call = this.asManagement): Promise<Answer> {
    return this.success(await call('GET', path), 200).body
  }

  async read(id: string, call: Call = this.asPrivate): Promise<Answer> {
    return this.success(await call('GET', `/tokens/${encodeURIComponent(id)}`), 200, 'reading a token').body
  }

  async patch(id: string, patch: Members, call: Call = this.asPrivate): Promise<Answer> {
    return this.success(await call('PATCH', `/tokens/${encodeURIComponent(id)}`, patch), 200, 'an update')
      .body
  }

  /** @param query is restricted to this case's own container */
  async search(query: string, call: Call = this.asPrivate, more: Members = {}): Promise<Answer> {
    const own = `container:"${this.container}*"`
    const body = { query: query === '' ? own : `${own} AND (${query})`, size: 100, ...more }
    return this.success(await call('POST', '/tokens/search', body), 200, `the query ${query}`).body
  }

  /** Returns the sorted ids of the tokens that a query finds in this case's container. */
  async found(query: string, call?: Call): Promise<string[]> {
    return this.ids(await this.search(query, call)).sort()
  }

  /** Checks which tokens a query finds in this case's container, in any order. */
  async finds(query: string, ids: readonly string[], what: string, call?: Call): Promise<void> {
    await this.settles(() => this.found(query, call), [...ids].sort(), what)
  }

  /**
   * Checks the result of a search. No sentence says that it shows a write at once, so it is repeated until it is as
   * expected. With the capability `read-your-writes`, once.
   */
  async settles(ask: () => Promise<unknown>, expected: unknown, what: string): Promise<void> {
    const { searches } = this.#around.patience
    const limitMs = this.has('read-your-writes') ? 0 : searches.limitMs
    const begun = performance.now()
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      const isLast = performance.now() - begun >= limitMs
      const found = await ask()
      if (canonical(found) === canonical(expected)) return searches.met(performance.now() - begun)
      if (isLast) {
        searches.inVain()
        return expectEqual(found, expected, what)
      }
      await wait(pause)
    }
  }

  ids(list: Answer): string[] {
    this.ok(Array.isArray(list?.data), 'a list has an array as data', list?.data)
    return list.data.map((item: Answer) => item.id)
  }

  /** Creates an application of this tenant with these rights. */
  async application(rights: Members, type = 'private'): Promise<MadeApplication> {
    const reply = await this.asManagement('POST', '/applications', { name: this.tag, type, ...rights })
    const { id, key } = this.success(reply, 201, 'a new application').body ?? {}
    this.ok(typeof id === 'string' && typeof key === 'string', 'a new application has an id and a key', id)
    return { id, key, call: this.as(key) }
  }

  /** Creates an application with one rule on this case's container. */
  ruled(transform: string, permissions: readonly string[], container = this.container) {
    return this.application({ rules: [{ priority: 1, container, transform, permissions }] })
  }

  /** Returns a caller that sees tokens of this case under a transform: an application, or a key of the settings. */
  async under(transform: 'reveal' | 'mask' | 'redact', permissions: readonly string[]): Promise<Call> {
    if (this.has('applications')) return (await this.ruled(transform, permissions)).call
    const { privateKey, maskedKey, redactedKey } = this.target
    return this.as({ reveal: privateKey, mask: maskedKey, redact: redactedKey }[transform])
  }

  async formula(members: Members = {}): Promise<Answer> {
    const body = {
      name: this.tag,
      type: 'private',
      code: 'module.exports = async function (req) { return { raw: req.args } }',
      configuration: [],
      request_parameters: [],
      ...members,
    }
    return this.success(await this.asManagement('POST', '/reactor-formulas', body), 201, 'a valid formula')
      .body
  }

  /** Creates a reactor of a new formula with the members `formula`, unless `members` contains one. */
  async reactor(formula: Members = {}, members: Members = {}): Promise<Answer> {
    const id = members.formula ?? { id: (await this.formula(formula)).id }
    const body = { name: this.tag, configuration: {}, ...members, formula: id }
    return this.success(await this.asManagement('POST', '/reactors', body), 201, 'a valid reactor').body
  }

  react(reactor: { readonly id: string }, body: unknown, call = this.asPrivate, options?: SendOptions) {
    return call('POST', `/reactors/${reactor.id}/react`, body, options)
  }

  /**
   * Invokes a reactor asynchronously. Resolves with the response, its inbox, which responds with these statuses and then
   * with 200, and the first delivery.
   */
  async delivered(
    reactor: { readonly id: string },
    args: unknown = {},
    statuses: readonly number[] = [],
    call = this.asPrivate,
  ) {
    const box = (await this.inbox()).open(statuses)
    const reply = this.success(await this.react(reactor, { args, callback_url: box.url }, call), 202)
    const first = await this.eventually(async () => box.deliveries[0], 'the delivery of the result')
    return { reply, box, first }
  }

  /** Invokes a new formula and returns its raw output. */
  async ran(formula: Members, args: unknown): Promise<Answer> {
    const reactor = await this.reactor(formula)
    return this.success(await this.react(reactor, { args }), 200, 'an invocation').body?.raw
  }

  /** Creates a session with the public key. */
  async session(): Promise<Answer> {
    return this.success(await this.asPublic('POST', '/sessions'), 201, 'a new session').body
  }

  /** Creates and authorizes a session. Returns a function that sends requests with its key. */
  async authorized(
    grant: Members,
  ): Promise<{ readonly key: string; readonly call: Call; readonly nonce: string }> {
    const { session_key: key, nonce } = await this.session()
    const reply = await this.asPrivate('POST', '/sessions/authorize', { nonce, ...grant })
    this.success(reply, 200, 'authorizing a session')
    return { key, nonce, call: this.as(key) }
  }

  inbox(): Promise<Inbox> {
    return this.#around.inbox()
  }

  /** Returns what the first case that asked under this name has made. It is deleted at the end of the run. */
  shared<T>(name: string, make: (context: Context) => Promise<T>): Promise<T> {
    return this.#around.shared(name, make)
  }

  // --------------------------------------------------------------------------------------------------- time

  /** Creates a token whose time of creation differs from that of another, on servers with times of a second too. */
  async tokenAfter(other: Answer): Promise<Answer> {
    const distinct = async () => {
      const made = await this.token()
      if (Date.parse(made.created_at) > Date.parse(other.created_at)) return made
      this.success(await this.asPrivate('DELETE', `/tokens/${made.id}`), undefined, 'deleting a token')
      if (this.has('clock')) await this.advance(1000)
      return undefined
    }
    return this.eventually(distinct, 'a later time of creation')
  }

  /** Returns the target's time, which may be ahead of ours, in epoch milliseconds. */
  async now(): Promise<number> {
    const made = await this.token()
    const now = Date.parse(made.created_at)
    this.ok(Number.isFinite(now), 'created_at is a date', made.created_at)
    return now
  }

  /** Returns the time `ms` milliseconds from the target's now, as ISO 8601 in UTC. */
  async later(ms: number): Promise<string> {
    return new Date((await this.now()) + ms).toISOString()
  }

  /** Moves the target's clock forward. */
  async advance(ms: number): Promise<void> {
    const { clockUrl, send } = this.target
    if (clockUrl === undefined) throw new NotSupported('clock')
    const request = {
      method: 'POST',
      url: clockUrl,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_ms: ms }),
    }
    const status = await send(request).then(
      response => response.status,
      error => {
        if (error instanceof Interrupted) throw error
        return reasonOf(error)
      },
    )
    if (!(Number(status) < 300)) throw new Finding(`the clock did not move: ${status}`)
  }
}

/** True if a finding of one profile counts in a run of another. */
export const counts = (found: Profile, asked: Profile) => asked === 'surrogate' || found === 'core'
