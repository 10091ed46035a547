import { type Feature, featuresOfRequest } from '../features.ts'
import { alwaysComplaints, StoredData } from './always.ts'
import type { Complaint, Contract } from './contract.ts'
import { Finding, isObject, NotClaimed } from './finding.ts'
import { Interrupted, reasonOf } from './guard.ts'
import {
  type Call,
  type Carrier,
  type Exchange,
  type Reply,
  requestTo,
  type SendOptions,
  type Subject,
} from './target.ts'
import { contentOf, type Transport } from './transport.ts'

/** Paths whose POST creates something that stays. */
const creating = /^\/(tokens|tokenize|reactor-formulas|reactors|applications)$|\/react$/

/** Sends the requests of one case and records every exchange, with its differences from the contract. */
export class Recorder {
  readonly exchanges: Exchange[] = []
  readonly complaints: Complaint[] = []
  /** Ids of operations that were sent through the client, if there is one. */
  readonly carried = new Set<string>()
  /** Created resources that have to be deleted: the path, and the key that created it. */
  readonly made: { readonly path: string; readonly key: string | undefined }[] = []

  /** Requests that may have created something and had no response. */
  readonly unanswered: string[] = []
  /** Features that the requests used. */
  readonly used = new Set<Feature>()
  /** Data of the tokens that the requests stored. */
  readonly stored = new StoredData()

  readonly contract: Contract
  readonly #target: Subject
  readonly #carrier: Carrier | undefined
  readonly #claims: readonly Feature[] | undefined
  readonly #common: Recorder | undefined

  /**
   * @param claims features whose operations may be sent; all by default
   * @param common records what is made for all cases
   */
  constructor(
    target: Subject,
    contract: Contract,
    carrier: Carrier | undefined,
    claims?: readonly Feature[],
    common?: Recorder,
  ) {
    this.#target = target
    this.contract = contract
    this.#carrier = carrier
    this.#claims = claims
    this.#common = common
  }

  /** Returns a function that sends requests with a key, or without one. */
  caller(key: string | undefined): Call {
    return (method, path, body, options = {}) => this.#send(key, method, path, body, options)
  }

  async #send(
    key: string | undefined,
    method: string,
    path: string,
    body: unknown,
    options: SendOptions,
  ): Promise<Reply> {
    const operation = this.contract.operationOf(method, path)
    this.#claim(featuresOfRequest(operation?.id, Object.keys(options.headers ?? {}), body))
    let reply: Reply | undefined
    const exchange: Transport = async request => {
      const sent = {
        method,
        path,
        requestHeaders: request.headers,
        operation: operation?.id,
      }
      const requestBody =
        request.body instanceof Uint8Array ? Buffer.from(request.body).toString('latin1') : request.body
      try {
        const response = await this.#target.send(request)
        const { status, headers } = response
        const { text, json } = contentOf(response)
        const own: Exchange = { ...sent, requestBody, status, headers, text }
        this.exchanges.push(own)
        reply = { status, headers, text, body: json, exchange: own }
        const stored = this.#common ? [this.stored, this.#common.stored] : [this.stored]
        const isOfContract = operation !== undefined
        this.#complain(reply, alwaysComplaints(this.#target, request, reply, isOfContract, stored))
        if (status < 300) this.stored.add(request)
        return response
      } catch (error) {
        this.#missed(key, method, path, body)
        if (error instanceof Interrupted) throw error
        this.exchanges.push({ ...sent, requestBody, status: undefined, headers: new Headers(), text: '' })
        throw new NoAnswer(reasonOf(error), { cause: error })
      }
    }
    const carried =
      options.raw === undefined && !options.plain
        ? this.#carrier?.(key, method, path, body, options, exchange)
        : undefined
    if (carried) {
      if (operation) this.carried.add(operation.id)
      await carried
    } else {
      const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const trace = options.plain ? {} : { [`${this.#target.headerPrefix}-TRACE-ID`]: crypto.randomUUID() }
      const request = requestTo(this.#target, key, method, path, payload, { ...trace, ...options.headers })
      await exchange(request)
    }
    if (!reply) throw new Finding(`the client sent nothing for ${method} ${path}`)
    this.#complain(reply, this.contract.complaints(operation, reply, this.#target.headerPrefix))
    this.#remember(key, method, path, reply)
    return reply
  }

  #complain({ exchange }: Reply, complaints: readonly Complaint[]): void {
    this.complaints.push(...complaints.map(one => ({ ...one, exchange })))
  }

  /** @throws {NotClaimed} if a request would use a feature that is not claimed */
  #claim(found: readonly Feature[]): void {
    for (const feature of found) this.used.add(feature)
    const others = found.filter(feature => this.#claims?.includes(feature) === false)
    if (others.length > 0) throw new NotClaimed(others)
  }

  /** Notes what a request without a response may have created: it is deleted if its id is known, and listed otherwise. */
  #missed(key: string | undefined, method: string, path: string, body: unknown): void {
    if (method !== 'POST' || !creating.test(path)) return
    const id = path === '/tokens' && isObject(body) ? body.id : undefined
    if (typeof id === 'string' && !id.includes('{'))
      this.made.push({ path: `/tokens/${encodeURIComponent(id)}`, key })
    else this.unanswered.push(`${method} ${path}, which had no response`)
  }

  #remember(key: string | undefined, method: string, path: string, reply: Reply): void {
    if (method !== 'POST' || reply.status >= 300 || typeof reply.body !== 'object') return
    const [bare = ''] = path.split('?')
    const collection = bare.replace(/\/$/, '')
    if (['/tokens', '/reactor-formulas', '/reactors', '/applications'].includes(collection)) {
      if (typeof reply.body?.id === 'string')
        this.made.push({ path: `${collection}/${encodeURIComponent(reply.body.id)}`, key })
    } else if (collection === '/tokenize') {
      this.#rememberTokens(reply.body, key)
    }
    if (collection.endsWith('/react')) this.#rememberTokens(reply.body?.tokens, this.#target.privateKey)
  }

  #rememberTokens(value: unknown, key: string | undefined): void {
    // No id contains a slash: that is another member, such as a link.
    if (typeof value === 'string' && !value.includes('/'))
      this.made.push({ path: `/tokens/${encodeURIComponent(value)}`, key })
    else if (typeof value === 'object' && value !== null) {
      const { id, tenant_id } = value as Record<string, unknown>
      if (typeof id === 'string' && typeof tenant_id === 'string') this.#rememberTokens(id, key)
      else for (const inner of Object.values(value)) this.#rememberTokens(inner, key)
    }
  }
}

/** There was no response. The case fails, and the run checks that the target can still be reached. */
export class NoAnswer extends Finding {}
