import type { AskedRequest, KeepFunction } from './asked.ts'
import {
  devEgressClear,
  devEgressList,
  devEgressRequestsClear,
  devEgressRequestsList,
  devEgressRequestsMatch,
  devEgressRequestsNext,
  devEgressRespond,
} from './generated/operations.gen.ts'
import type {
  DevAnswer,
  DevAnswerRequest,
  DevOrderedAnswer,
  DevOutgoingPattern,
  DevOutgoingRequest,
} from './generated/types.gen.ts'
import { nameWith, RecordedRequests, type SilenceOptions } from './recorded.ts'
import type { DevSend } from './send.ts'
import { refuseUnused } from './used.ts'

/**
 * The response of a target, which a test gives in its place: 200 without a body by default.
 *
 * @example
 * ```ts
 * const declined: EgressAnswer = { status: 402, body: { error: 'card_declined' }, latency: 200 }
 * ```
 */
export type EgressAnswer = Omit<DevAnswer, 'body' | 'body_base64' | 'function'> & {
  /** A text or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

/**
 * Which requests that leave the server a test answers.
 *
 * @example
 * ```ts
 * const target: EgressTarget = { url: 'https://api.example.com/v1/charges', body: { amount: 1250 } }
 * ```
 */
export type EgressTarget = Omit<DevAnswerRequest, 'answer' | 'times'>

/**
 * Answers requests in the process of the vault.
 *
 * @example
 * ```ts
 * const provider: EgressFunction = async ({ body }) => ({ status: body.amount > 1000 ? 402 : 201 })
 * ```
 */
export type EgressFunction = (request: AskedRequest) => EgressAnswer | Promise<EgressAnswer>

/**
 * What an outgoing request must have, and how many such requests there must be: at least one without `times`.
 *
 * @example
 * ```ts
 * const once: ExpectedEgress = { url: 'https://api.example.com', body: { amount: 1250 }, times: 1 }
 * ```
 */
export type ExpectedEgress = DevOutgoingPattern & { readonly times?: number } & SilenceOptions

/**
 * Selects outgoing requests.
 *
 * @example
 * ```ts
 * const filter: EgressFilter = { on: 'formula', status: 402 }
 * ```
 */
export type EgressFilter = Pick<DevOutgoingPattern, 'on' | 'status' | 'since'>

/**
 * The requests that formulas of one tenant, its requests to `/proxy` and its deliveries have sent.
 *
 * @example
 * ```ts
 * const requests: DevEgressRequests = dev.egress.requests
 * await requests.assert({ url: 'https://api.example.com/v1/charges', times: 1 })
 * ```
 */
export class DevEgressRequests extends RecordedRequests<
  DevOutgoingRequest,
  DevOutgoingPattern,
  EgressFilter
> {
  /** @internal */
  constructor(send: DevSend) {
    super({
      list: async filter => (await send(devEgressRequestsList, { query: filter })).data,
      next: async filter => (await send(devEgressRequestsNext, { query: filter })) ?? undefined,
      match: pattern => send(devEgressRequestsMatch, { body: pattern }),
      clear: () => send(devEgressRequestsClear),
      nameOf: ({ url, on, method, status, body }) =>
        nameWith(on ?? 'any target', {
          'this url': url,
          'this method': method,
          [`status ${status}`]: status,
          'this body': body,
        }),
      lineOf: ({ method, url, answered_by }) => `${method} ${url} (answered by ${answered_by})`,
      verb: 'left the server',
      hint: 'was the formula invoked by this tenant?',
    })
  }
}

/**
 * Answers what formulas of one tenant fetch, what its requests to `/proxy` are sent on to, and what its webhooks are delivered
 * to, in the place of these targets.
 *
 * @example
 * ```ts
 * const egress: DevEgress = dev.egress
 * await egress.respond('https://api.example.com', { status: 201, body: { id: 'ch_1' } })
 * ```
 */
export class DevEgress {
  /** The requests that have left the server, or would have. */
  readonly requests: DevEgressRequests
  readonly #send: DevSend
  readonly #keep: KeepFunction | undefined

  /** @internal */
  constructor(send: DevSend, keep: KeepFunction | undefined) {
    this.requests = new DevEgressRequests(send)
    this.#send = send
    this.#keep = keep
  }

  /**
   * Answers requests to an origin, or to URLs in which `*` stands for any text: as often as they come, and at least once, or
   * `times` times. Its origin needs no option of the server. Answers with `times` come first, then the latest of the others.
   * A function answers only in the process of the vault.
   *
   * @example
   * ```ts
   * await dev.egress.respond('https://api.example.com/v1/*', { body: { id: 'ch_1' } })
   * await dev.egress.respond({ url: 'https://api.example.com', body: { amount: 1 } }, { status: 402 }, { times: 1 })
   * ```
   */
  async respond(
    target: string | EgressTarget,
    answer: EgressAnswer | EgressFunction,
    options: { readonly times?: number } = {},
  ): Promise<DevOrderedAnswer> {
    const order = typeof target === 'string' ? { url: target } : target
    const given = typeof answer === 'function' ? { function: await this.#kept(answer) } : wireAnswer(answer)
    return this.#send(devEgressRespond, { body: { ...order, ...options, answer: given } })
  }

  /** Returns the answers and how often each was used, oldest first, with those of the inbox. */
  async list(): Promise<readonly DevOrderedAnswer[]> {
    return (await this.#send(devEgressList)).data
  }

  /** Removes all answers. */
  async clear(): Promise<void> {
    await this.#send(devEgressClear)
  }

  /** Throws a `DevAssertionError` that names each answer that was not used, or not `times` times, or if none was ordered. */
  async assertUsed(): Promise<void> {
    const ordered = (await this.list()).map(({ order, used, left }) => ({
      used,
      left,
      shown: shownOrder(order),
    }))
    refuseUnused('answer', ordered, false)
  }

  async #kept(respond: EgressFunction): Promise<string> {
    if (!this.#keep)
      throw new TypeError(
        'a function can answer only by `dev` of a vault in this process (createVault): give the answer as an object, and choose between several by `body`',
      )
    return this.#keep(async request => {
      const answer = await respond(request)
      // The server says what is wrong with anything else.
      return typeof answer === 'object' && answer !== null ? wireAnswer(answer) : answer
    })
  }
}

/** Shows an answer without what it matches of data. */
function shownOrder({ url, on, method, body, answer }: DevAnswerRequest): string {
  const { status = 200, drop } = answer
  const outcome = answer.function !== undefined ? 'a function' : drop ? 'no response' : status
  const name = nameWith([on, method, url].filter(Boolean).join(' '), { 'this body': body })
  return `${name} → ${outcome}`
}

/** Puts bytes into the form in which they are sent. */
function wireAnswer(answer: EgressAnswer): DevAnswer {
  const { body, ...rest } = answer
  if (body === undefined) return rest
  if (!(body instanceof Uint8Array)) return { ...rest, body }
  let binary = ''
  for (const byte of body) binary += String.fromCharCode(byte)
  return { ...rest, body_base64: btoa(binary) }
}
