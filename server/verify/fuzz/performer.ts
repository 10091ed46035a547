import { encode, type FuzzCase, type FuzzRequest, type Values } from './case.ts'
import { type FuzzConnection, NoResponse, type Response } from './connection.ts'
import type { Document } from './document.ts'
import { type Found, type Judge, readJson } from './judge.ts'
import type { Peers } from './peers.ts'
import type { Target } from './target.ts'
import { holdUnread } from './unread.ts'

export interface Performed {
  /** The status of the request; `undefined` without a response. */
  readonly status: number | undefined
  readonly found: readonly Found[]
  /** True if the server exceeded the time limit; it may still be busy. */
  readonly timedOut: boolean
}

/** What the cases of a server share. */
export interface Surroundings {
  readonly document: Document
  readonly judge: Judge
  readonly peers: Peers
  readonly target: Target
  /** The longest time until something that should happen at once. */
  readonly patienceMs: number
}

/** Longer than the time limit of formulas. */
const timeoutMs = 30_000
/** For incomplete requests: the server may wait for the rest. */
const hangUpMs = 100
/** A session may have fewer unfinished jobs than this. */
const mostRepeats = 1_200

/** Sends the requests of a case over a connection and checks every response, and what else the case asks for. */
export async function perform(
  one: FuzzCase,
  connection: FuzzConnection,
  prepared: Values,
  around: Surroundings,
): Promise<Performed> {
  const performance = new Performance(one, connection, prepared, around)
  try {
    await performance.run()
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    performance.found.push({ fault: 'no response', what: error.message })
    return { ...performance, timedOut: error.timedOut }
  } finally {
    // The rest of a malformed request must not begin the next one.
    if (one.mayHangUp) connection.close()
  }
  return { ...performance, timedOut: false }
}

class Performance {
  readonly found: Found[] = []
  status: number | undefined
  readonly #one: FuzzCase
  readonly #connection: FuzzConnection
  readonly #around: Surroundings
  readonly #values: Map<string, string>

  constructor(one: FuzzCase, connection: FuzzConnection, prepared: Values, around: Surroundings) {
    this.#one = one
    this.#connection = connection
    this.#around = around
    this.#values = new Map(prepared)
  }

  async run(): Promise<void> {
    const { prelude, request, extra } = this.#one
    for (const [step, one] of prelude.entries()) {
      const { body } = await this.#send(one, { name: `${step}` })
      // For placeholders such as `@@0.id@@`.
      for (const [name, value] of Object.entries(readJson(body) ?? {})) {
        if (typeof value === 'string') this.#values.set(`${step}.${name}`, value)
      }
    }
    if (extra?.check === 'unread') {
      const bytes = (one: FuzzRequest) => this.#encode(one, 'unread')
      this.found.push(...(await holdUnread(bytes, request, extra, this.#around)))
    } else if (extra?.check === 'left') await this.#leave(extra.peer)
    else if (extra?.check === 'settles') await this.#settle(extra.peer)
    else if (extra?.check === 'others') await this.#fillUp(extra.other)
    else await this.#respond()
  }

  async #respond(): Promise<void> {
    const { request, extra, mayHangUp, number } = this.#one
    const response = await this.#send(request, { isMain: true, ms: mayHangUp ? hangUpMs : timeoutMs }).catch(
      error => {
        if (!(error instanceof NoResponse && mayHangUp)) throw error
      },
    )
    if (!response) return
    if (extra?.check === 'planted' && readJson(response.body)?.id === this.#values.get('0.id'))
      this.found.push({
        fault: 'planted original',
        what: `instead of the caller's own data: ${response.body}`,
      })
    if (extra?.check === 'arrives') {
      const { peers, patienceMs } = this.#around
      const body = await peers.arrival(extra.path, patienceMs)
      if (body === undefined || (extra.body ?? body) !== body)
        this.found.push({
          fault: 'open exchange',
          what: `the target got ${body === undefined ? 'no request' : `another body: ${body.slice(0, 100)}`}`,
        })
      this.found.push(...peers.faultsAt(extra.path).map(what => ({ fault: 'unframed body' as const, what })))
    }
    if (response.status === 200) await this.#readOne(response, `${number}`)
  }

  /** Reads the first item of a list alone, with the same key. Twice, since it may have been changed in between. */
  async #readOne(response: Response, name: string): Promise<void> {
    const { operation, request } = this.#one
    const { operations } = this.#around.document
    const path = `${operations.find(({ id }) => id === operation)?.path.replace(/\/search$/, '')}/{id}`
    const id = readJson(response.body)?.data?.[0]?.id
    const key = request.headers.filter(([name]) => name === 'SVC-API-KEY')
    if (typeof id !== 'string' || !operations.some(one => one.method === 'GET' && one.path === path)) return
    const single = { method: 'GET', target: path.replace('{id}', encodeURIComponent(id)), headers: key }
    if ((await this.#send(single, { name })).status !== 403) return
    const again = await this.#send(request, { name })
    if (
      readJson(again.body)?.data?.some((item: { id: string }) => item.id === id) &&
      (await this.#send(single, { name })).status === 403
    )
      this.found.push({
        fault: 'list shows what a read refuses',
        what: `GET ${single.target} has status 403`,
      })
  }

  /** Goes away from a request that a hostile peer keeps open. */
  async #leave(peer: number): Promise<void> {
    const hostile = this.#around.peers.hostile[peer]
    const gone = this.#send(this.#one.request, { isMain: true }).catch(() => {})
    const isMet = await this.#soon(hostile?.met())
    this.#connection.close()
    await gone
    if (!isMet || !(await this.#soon(hostile?.left())))
      this.found.push({
        fault: 'open exchange',
        what: isMet ? 'after its caller has left' : 'it was not begun',
      })
  }

  /** Expects a response, or the end of the connection in the middle of one. */
  async #settle(peer: number): Promise<void> {
    const { peers, patienceMs } = this.#around
    const isCut = (error: unknown) => {
      if (!(error instanceof NoResponse)) throw error
      return !error.timedOut
    }
    const sent = this.#send(this.#one.request, { isMain: true, ms: patienceMs })
    const isSettled = await sent.then(() => true, isCut)
    if (!isSettled || !(await this.#soon(peers.hostile[peer]?.left())))
      this.found.push({ fault: 'open exchange', what: isSettled ? 'after its response' : 'no response' })
  }

  async #fillUp(other: FuzzRequest): Promise<void> {
    const send = (request: FuzzRequest, isMain = true) =>
      this.#send(request, { isMain }).then(({ status }) => status)
    for (let count = 0; count < mostRepeats; count++) {
      this.status = await send(this.#one.request)
      if (this.status !== 202) break
    }
    if (this.status === 429 && (await send(other)) === 429)
      this.found.push({ fault: 'no room for others', what: 'another application is refused, too' })
  }

  #soon(event: Promise<unknown> | undefined): Promise<boolean> {
    const late = new Promise<false>(done => setTimeout(done, this.#around.patienceMs, false).unref())
    return Promise.race([Promise.resolve(event).then(() => true), late])
  }

  #encode(request: FuzzRequest, name: string): Uint8Array {
    return encode(request, this.#values, `fuzz-${this.#one.number}-${name}`)
  }

  async #send(request: FuzzRequest, { isMain = false, name = 'main', ms = timeoutMs }): Promise<Response> {
    const bytes = this.#encode(request, name)
    const response = await this.#connection.exchange(bytes, ms, request.method === 'HEAD')
    if (isMain) this.status = response.status
    this.found.push(...this.#around.judge.faultsOf(this.#one, request, response, isMain))
    return response
  }
}
