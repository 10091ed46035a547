import { connectionLimits, largeBody } from '../../base/limits.ts'
import { isLongPage, type LongPage } from '../../base/page.ts'
import type { Operation } from '../../contract/contract.ts'
import { type Answer, type CoreResponse, jsonResponse } from '../transport/message.ts'
import { beginPieces, joinPieces, pagePieces } from '../transport/page-pieces.ts'
import type { Exchange, Respond, Services, Step } from './exchange.ts'
import { tooLargeForFormula } from './problem.ts'
import type { Refusals } from './refusals.ts'

/** Returns what takes a request through the steps, and makes a response of its answer or its refusal. Never rejects. */
export function responder(services: Services, refusals: Refusals): Respond {
  return async exchange => {
    try {
      await runSteps(services.steps, exchange, services)
      const response = exchange.forwarded ?? (await toResponse(exchange, refusals))
      // Small ones fit into what each connection may hold anyway.
      const { length } = response.body ?? ''
      if (length > connectionLimits.smallResponseBytes)
        exchange.request.holdResponse(length, exchange.caller?.tenant ?? '')
      return response
    } catch (error) {
      return refusals.refuse(exchange, error)
    } finally {
      if (exchange.caller) exchange.places?.release(exchange.caller)
    }
  }
}

/** Runs steps until one has performed the request. */
export async function runSteps(
  steps: readonly Step[],
  exchange: Exchange,
  services: Services,
): Promise<void> {
  for (const step of steps) {
    // Most checks return no promise, and awaiting one would cost a microtask each.
    const pending = step(exchange, services)
    if (pending) await pending
    if (exchange.answer || exchange.forwarded) return
    // Each of the following checks goes through the whole body.
    const { bytes, caller } = exchange
    if (caller && bytes && bytes.length > largeBody) await services.turns.pass(caller)
  }
  throw new Error('the lifecycle ended without an answer')
}

/** Returns the page of an answer whose items are made one by one, if it has one. */
export function longPageOf(answer: Answer | undefined): LongPage<unknown> | undefined {
  const { body } = answer ?? {}
  return typeof body === 'object' && body !== null && isLongPage(body) ? body : undefined
}

/** Returns a page in the place of another one. */
export type PageChange = (
  exchange: Exchange,
  operation: Operation,
  page: LongPage<unknown>,
) => LongPage<unknown>

/** Returns the steps with a change of the long pages that the last one makes. */
export function changingPages(steps: readonly Step[], change: PageChange): readonly Step[] {
  const perform = steps.at(-1)
  const changed: Step = async (exchange, services) => {
    await perform?.(exchange, services)
    const { answer, operation } = exchange
    const page = longPageOf(answer)
    if (answer && operation && page) exchange.answer = { ...answer, body: change(exchange, operation, page) }
  }
  return [...steps.slice(0, -1), changed]
}

function toResponse(exchange: Exchange, refusals: Refusals): CoreResponse | Promise<CoreResponse> {
  const { status = 200, body, headers } = exchange.answer ?? {}
  const page = longPageOf(exchange.answer)
  if (page) return toLongResponse(exchange, refusals, page)
  return body === undefined ? { status, headers: { ...headers } } : jsonResponse(status, body, headers)
}

/** Returns a long page in pieces, or as one text if all of it fits into the first piece. */
async function toLongResponse(
  exchange: Exchange,
  refusals: Refusals,
  page: LongPage<unknown>,
): Promise<CoreResponse> {
  const { request, answer } = exchange
  const headers = { 'Content-Type': 'application/json', ...answer?.headers }
  const status = answer?.status ?? 200
  const begun = await beginPieces(pagePieces(page))
  if (typeof begun === 'string') return { status, headers, body: begun }
  if (!request.delegation) return { status, headers, pieces: reporting(begun, refusals.cutOff(exchange)) }
  // A formula gets its answer in one message.
  const body = await joinPieces(begun, connectionLimits.formulaAnswerBytes)
  if (body !== undefined) return { status, headers, body }
  throw tooLargeForFormula()
}

async function* reporting<T>(items: AsyncIterable<T>, failed: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    failed(error)
    throw error
  }
}
