import { setTimeout as wait } from 'node:timers/promises'
import type { Capability } from '../capabilities.ts'
import type { Inbox } from './callback.ts'
import { expectEqual, Finding, NotSupported, type Profile } from './finding.ts'
import { NoAnswer, type Recorder } from './recorder.ts'
import type { Call, Reply, SendOptions, Target } from './target.ts'
import { within } from './within.ts'

type Members = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: what a server answered has the form that the case is about to check
type Answer = any

/** What the run lends to a case. */
export interface Surroundings {
  readonly target: Target
  readonly recorder: Recorder
  readonly has: (capability: Capability) => boolean
  readonly inbox: () => Promise<Inbox>
}

export interface MadeApplication {
  readonly id: string
  readonly key: string
  readonly call: Call
}

/** What a case works with: callers, ways to make what it needs, and ways to judge what comes back. */
export class Context {
  /** Unique to this run of this case, for ids, metadata and names. */
  readonly tag = `c${crypto.randomUUID().replaceAll('-', '')}`
  /** A container that no other case uses. */
  readonly container = `/${this.tag}/`
  /** Requests with the private key, with a public and a management one, and with those of another tenant. */
  readonly asPrivate: Call
  readonly asPublic: Call
  readonly asManagement: Call
  readonly asOther: Call
  readonly asOtherManagement: Call
  /** What only the surrogate profile minds. */
  readonly findings: string[] = []
  readonly target: Target
  readonly #recorder: Recorder
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    const { target, recorder } = around
    this.target = target
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

  // ------------------------------------------------------------------------------------------------ judging

  equal(found: unknown, expected: unknown, what: string): void {
    expectEqual(found, expected, what)
  }

  ok(holds: unknown, what: string): void {
    if (!holds) throw new Finding(what)
  }

  /** A status that the specification itself names. */
  status(reply: Reply, expected: number, what = 'status'): Reply {
    if (reply.status !== expected) throw new Finding(`${what}: expected ${expected}, found ${reply.status}`)
    return reply
  }

  /** @param exact the status of the surrogate profile; in core any success will do */
  success(reply: Reply, exact?: number, what = 'the request'): Reply {
    if (reply.status < 200 || reply.status > 299)
      throw new Finding(`${what} was not accepted: expected a success (2xx), found ${reply.status}`)
    this.#exactly(reply, exact, what)
    return reply
  }

  /** @param exact the status of the surrogate profile; in core any 4xx is an error */
  refused(reply: Reply, exact?: number, what = 'the request'): Reply {
    if (reply.status < 400 || reply.status > 499)
      throw new Finding(`${what}: expected an error (4xx), found ${reply.status}`)
    this.#exactly(reply, exact, what)
    return reply
  }

  #exactly(reply: Reply, exact: number | undefined, what: string): void {
    if (exact !== undefined && reply.status !== exact)
      this.findings.push(`${what}: expected ${exact}, found ${reply.status}`)
  }

  /** A check whose failure only the surrogate profile minds, inside a case of core. */
  surrogate(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Finding)) throw error
      this.findings.push(error.message)
    }
  }

  /**
   * The one way to show that something is refused: `control` is sent and has to be accepted, then the same with
   * each mutation, which differs from it in one thing.
   * @param exact as for `refused`; `{ status }` where the specification itself names it
   */
  async refuses<T>(
    exact: number | { readonly status: number } | undefined,
    send: (request: T) => Promise<Reply>,
    control: T,
    mutations: Readonly<Record<string, T>>,
  ): Promise<void> {
    this.success(await send(control), undefined, 'the control')
    for (const [what, mutation] of Object.entries(mutations)) {
      const reply = await send(mutation)
      if (typeof exact === 'object') this.status(reply, exact.status, what)
      else this.refused(reply, exact, what)
    }
  }

  /**
   * Sends what is too large, and again if no answer came: a server may hang up on a body before it has read all of
   * it, and its answer can be lost on the way then. On a connection of its own: what the server did not read must
   * not stand before the request of another case.
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

  /** Waits for what happens in its own time, asking again and again. */
  async eventually<T>(
    ask: () => Promise<T | undefined>,
    what: string,
    withinMs = this.target.patienceMs,
  ): Promise<T> {
    const deadline = performance.now() + withinMs
    for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
      const found = await ask()
      if (found !== undefined) return found
      if (performance.now() > deadline) throw new Finding(`${what} did not happen within ${withinMs} ms`)
      await wait(pause)
    }
  }

  // ------------------------------------------------------------------------------------------------- making

  /** Creates a token of type `token` in this case's container unless told otherwise; answers its body. */
  async token(members: Members = {}, call: Call = this.asPrivate): Promise<Answer> {
    const body = { type: 'token', data: this.tag, containers: [this.container], ...members }
    const reply = this.success(await call('POST', '/tokens', body), 201, 'a valid token')
    this.ok(typeof reply.body?.id === 'string', 'a created token has an id')
    return reply.body
  }

  async read(id: string, call: Call = this.asPrivate): Promise<Answer> {
    return this.success(await call('GET', `/tokens/${encodeURIComponent(id)}`), 200, 'reading a token').body
  }

  async patch(id: string, patch: Members, call: Call = this.asPrivate): Promise<Answer> {
    return this.success(await call('PATCH', `/tokens/${encodeURIComponent(id)}`, patch), 200, 'an update')
      .body
  }

  /** @param query joined with the restriction to this case's own container */
  async search(query: string, call: Call = this.asPrivate, more: Members = {}): Promise<Answer> {
    const own = `container:"${this.container}*"`
    const body = { query: query === '' ? own : `${own} AND (${query})`, size: 100, ...more }
    return this.success(await call('POST', '/tokens/search', body), 200, `the query ${query}`).body
  }

  /** Ids of what a query finds within this case's container, sorted. */
  async found(query: string, call?: Call): Promise<string[]> {
    return this.ids(await this.search(query, call)).sort()
  }

  ids(list: Answer): string[] {
    this.ok(Array.isArray(list?.data), 'a list has an array as data')
    return list.data.map((item: Answer) => item.id)
  }

  /** An application of this tenant with the rights given. */
  async application(rights: Members, type = 'private'): Promise<MadeApplication> {
    const reply = await this.asManagement('POST', '/applications', { name: this.tag, type, ...rights })
    const { id, key } = this.success(reply, 201, 'a new application').body ?? {}
    this.ok(typeof id === 'string' && typeof key === 'string', 'a new application has an id and a key')
    return { id, key, call: this.as(key) }
  }

  /** An application with one rule on this case's container. */
  ruled(transform: string, permissions: readonly string[], container = this.container) {
    return this.application({ rules: [{ priority: 1, container, transform, permissions }] })
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

  /** A reactor on a formula made from `formula`, unless `members` names one. */
  async reactor(formula: Members = {}, members: Members = {}): Promise<Answer> {
    const id = members.formula ?? { id: (await this.formula(formula)).id }
    const body = { name: this.tag, configuration: {}, ...members, formula: id }
    return this.success(await this.asManagement('POST', '/reactors', body), 201, 'a valid reactor').body
  }

  react(reactor: { readonly id: string }, body: unknown, call = this.asPrivate, options?: SendOptions) {
    return call('POST', `/reactors/${reactor.id}/react`, body, options)
  }

  /** What code gives for arguments, as `raw`. */
  async ran(formula: Members, args: unknown): Promise<Answer> {
    const reactor = await this.reactor(formula)
    return this.success(await this.react(reactor, { args }), 200, 'an invocation').body?.raw
  }

  /** A public application's new session. */
  async session(): Promise<Answer> {
    return this.success(await this.asPublic('POST', '/sessions'), 201, 'a new session').body
  }

  /** A session with a grant, and requests with its key. */
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

  // --------------------------------------------------------------------------------------------------- time

  /** The target's own time, in epoch milliseconds: its clock may be ahead of ours. */
  async now(): Promise<number> {
    const now = Date.parse((await this.token()).created_at)
    this.ok(Number.isFinite(now), 'created_at is a date')
    return now
  }

  /** The target's time in so many milliseconds, as ISO 8601 in UTC. */
  async later(ms: number): Promise<string> {
    return new Date((await this.now()) + ms).toISOString()
  }

  /** Moves the target's clock forward. */
  async advance(ms: number): Promise<void> {
    const { clockUrl, fetch, timeoutMs } = this.target
    if (clockUrl === undefined) throw new NotSupported('clock')
    const request = new Request(clockUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ advance_ms: ms }),
    })
    const { ok, status } = await within(timeoutMs, fetch(request)).catch(() => ({
      ok: false,
      status: 'no answer',
    }))
    if (!ok) throw new Finding(`the clock did not move: ${status}`)
  }
}

/** Whether a finding counts under a profile. */
export const counts = (found: Profile, asked: Profile) => asked === 'surrogate' || found === 'core'
