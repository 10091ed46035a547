import { ServiceError } from '../../base/errors.ts'
import type { JsonValue } from '../../base/json/json.ts'
import type { Immutable } from '../../contract/types.ts'
import type { DevAnswerRequest, DevOrderedAnswer } from '../../generated/dev-client/index.ts'
import { compareBodies, MarkedBodies } from '../marked-bodies.ts'
import { checkAnswer, type GivenAnswer } from './answer.ts'
import { type AnswerFunction, type AnswerFunctions, takeFunction } from './functions.ts'
import { UrlPattern } from './url-pattern.ts'

type Order = Immutable<DevAnswerRequest>
type Shown = Immutable<DevOrderedAnswer>

/** A request that leaves the server, as answers are matched with it. */
export interface Leaving {
  readonly on: NonNullable<Order['on']>
  readonly url: URL
  readonly method: string
  readonly body: JsonValue | undefined
}

interface Ordered {
  readonly order: Order
  readonly pattern: UrlPattern
  /** The marked shape of the body that it demands. */
  readonly body: JsonValue | undefined
  readonly respond: AnswerFunction | undefined
  readonly length: number
  used: number
}

/** As the contract says. */
const mostAnswers = 1000
const mostCharacters = 10_000_000

/** The answers that tests give in the place of targets, by tenant: one is never given to another tenant. */
export class Answers {
  readonly #ordered = new Map<string, Ordered[]>()
  readonly #bodies = new MarkedBodies()
  readonly #functions: AnswerFunctions

  constructor(functions: AnswerFunctions) {
    this.#functions = functions
  }

  /** @throws {ServiceError} validation */
  add(tenant: string, order: Order): Shown {
    checkAnswer(order.answer)
    const ordered = this.#ordered.get(tenant) ?? []
    const count = ordered.reduce((sum, one) => sum + (one.order.times ?? 1), 0)
    if (count + (order.times ?? 1) > mostAnswers)
      throw new ServiceError('validation', `more than ${mostAnswers} answers are ordered; clear them first`)
    const length = JSON.stringify(order).length
    if (ordered.reduce((sum, one) => sum + one.length, length) > mostCharacters)
      throw new ServiceError('validation', 'the answers are longer than 10 MB; clear them first')
    const one: Ordered = {
      order,
      pattern: new UrlPattern(order.url),
      body: order.body === undefined ? undefined : this.#bodies.ofPattern(order.body as JsonValue),
      respond: takeFunction(this.#functions, order.answer.function),
      length,
      used: 0,
    }
    this.#ordered.set(tenant, [...ordered, one])
    return shown(one)
  }

  list(tenant: string): Shown[] {
    return (this.#ordered.get(tenant) ?? []).map(shown)
  }

  /** True if an answer of the tenant is for URLs of this origin. */
  names(tenant: string, origin: string): boolean {
    return (this.#ordered.get(tenant) ?? []).some(({ pattern }) => pattern.origin === origin)
  }

  /** Returns the answer to a request, and counts it as used. */
  take(
    tenant: string,
    request: Leaving,
  ): { answer: GivenAnswer; respond: AnswerFunction | undefined } | undefined {
    let marked: JsonValue | undefined
    // Once for all answers, and only if one asks for the body.
    const markedBody = () => {
      if (request.body !== undefined) marked ??= this.#bodies.of(request.body)
      return marked
    }
    const matching = (this.#ordered.get(tenant) ?? []).filter(one => matches(one, request, markedBody))
    const found =
      matching.find(({ order, used }) => used < (order.times ?? 0)) ??
      matching.findLast(({ order }) => order.times === undefined)
    if (!found) return undefined
    found.used++
    return { answer: found.order.answer, respond: found.respond }
  }

  clear(tenant: string): void {
    this.#ordered.delete(tenant)
  }

  reset(): void {
    this.#ordered.clear()
  }
}

function matches(
  { order, pattern, body }: Ordered,
  request: Leaving,
  markedBody: () => JsonValue | undefined,
): boolean {
  if (!pattern.matches(request.url)) return false
  if (order.method !== undefined && order.method !== request.method) return false
  if (order.on !== undefined && order.on !== request.on) return false
  if (body === undefined) return true
  const differences: Parameters<typeof compareBodies>[3] = []
  compareBodies(body, markedBody(), 'body', differences)
  return differences.length === 0
}

function shown({ order, used }: Ordered): Shown {
  return { order, used, left: Math.max(0, (order.times ?? 0) - used) }
}
