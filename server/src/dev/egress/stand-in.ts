import { onAbort } from '../../base/flow/event-loop.ts'
import { monotonicMs } from '../../base/time/real-time.ts'
import { EgressError } from '../../egress/egress-error.ts'
import type { Head, Sender, Sent, Wire } from '../../egress/network.ts'
import type { Faults } from '../faults.ts'
import type { DevHandlersOf } from '../handlers.ts'
import { type Inbox, inboxOrigin } from '../inbox.ts'
import { Waits } from '../waits.ts'
import { type GivenAnswer, isAnswer } from './answer.ts'
import { Answers, type Leaving } from './answers.ts'
import type { AnswerFunction, AnswerFunctions } from './functions.ts'
import { OutgoingLog } from './outgoing-log.ts'
import { bodyOf, responseOf } from './responses.ts'
import { shownOrigin } from './url-pattern.ts'

interface StandInParts {
  readonly faults: Faults
  readonly functions: AnswerFunctions
  readonly inbox: Pick<Inbox, 'receive'>
  /** The time of a tenant. */
  nowMs(tenant: string): number
  /** Returns the trace id of the request behind a sender, if it is known. */
  traceOf(by: Sender): string | undefined
  /** Is called when a formula asks for an origin that neither an option nor a test names. */
  unanswered(by: Sender, origin: string): void
}

type AnsweredBy = 'test' | 'fault' | 'inbox' | 'network' | 'nobody'

/** What is to happen with a request. */
interface Decision {
  readonly by: AnsweredBy
  readonly answer?: GivenAnswer
  readonly respond?: AnswerFunction | undefined
}

/**
 * Stands between the server and its targets: responds as tests have ordered, receives webhooks in the inbox, and records what
 * leaves. The rest goes to the network, as far as an option allows it.
 */
export class StandIn {
  readonly answers: Answers
  readonly #log = new OutgoingLog()
  readonly #waits = new Waits()
  readonly #parts: StandInParts

  constructor(parts: StandInParts) {
    this.#parts = parts
    this.answers = new Answers(parts.functions)
  }

  /** Returns a wire that responds in the place of targets, for requests of one kind. */
  around(on: Leaving['on'], network: Wire): Wire {
    return async sent => {
      const { by, url, method } = sent
      const startMs = monotonicMs()
      const leaving = { on, url, method, body: bodyOf(sent) }
      let decision: Decision = { by: 'network' }
      const record = (outcome: { status: number } | { error: string }) => {
        const durationMs = Math.round((monotonicMs() - startMs) * 1000) / 1000
        const trace = by.traceId ?? this.#parts.traceOf(by)
        this.#log.add(by.tenant, leaving, {
          at: new Date(this.#parts.nowMs(by.tenant) - durationMs).toISOString(),
          answered_by: decision.by,
          ...outcome,
          ...(by.application == null ? {} : { application_id: by.application }),
          ...(by.session === undefined ? {} : { session: by.session }),
          ...(by.reactor === undefined ? {} : { reactor_id: by.reactor }),
          ...(trace === undefined ? {} : { trace_id: trace }),
          duration_ms: durationMs,
        })
      }
      try {
        decision = await this.#decide(leaving, sent)
        const head = await this.#perform(decision, leaving, sent, network)
        record({ status: head.status })
        return head
      } catch (error) {
        // What Node says of a connection may name an address.
        record({ error: error instanceof EgressError ? recordedText(error, decision) : 'network error' })
        throw error
      }
    }
  }

  async #decide(leaving: Leaving, { by, signal, isOffline }: Sent): Promise<Decision> {
    const { faults } = this.#parts
    const { tenant, reactor, traceId } = by
    const fault =
      leaving.on === 'delivery' ? faults.take({ on: 'delivery', tenant, reactor, traceId }) : undefined
    if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onAbort(signal))
    if (fault?.drop !== undefined) return { by: 'fault', answer: { drop: true } }
    if (fault?.status !== undefined) return { by: 'fault', answer: { status: fault.status } }
    const found = this.answers.take(tenant, leaving)
    if (found) return { by: 'test', ...found }
    if (isForInbox(leaving)) return { by: 'inbox' }
    return { by: isOffline ? 'nobody' : 'network' }
  }

  async #perform(decision: Decision, leaving: Leaving, sent: Sent, network: Wire): Promise<Head> {
    const { by, url, signal, method } = sent
    const answer = decision.respond ? await ask(decision.respond, leaving, sent) : decision.answer
    if (answer?.latency !== undefined) await this.#waits.wait(by.tenant, answer.latency, onAbort(signal))
    signal.throwIfAborted()
    if (isForInbox(leaving)) {
      const status = await this.#parts.inbox.receive(sent, answer?.drop ? 'none' : (answer?.status ?? 200))
      if (status !== undefined) return responseOf({ ...answer, status }, method)
    }
    if (answer?.drop) throw new EgressError('network', 'a test has ordered that the connection is closed')
    if (answer) return responseOf(answer, method)
    if (decision.by === 'network') return network(sent)
    const origin = shownOrigin(url.origin)
    this.#parts.unanswered(by, origin)
    throw new EgressError('development', unansweredText(leaving.on, origin))
  }

  /** Delivers a webhook to the inbox again. */
  async deliver(sent: Sent): Promise<void> {
    const nothing: Wire = async () => {
      throw new EgressError('network', 'network error')
    }
    await this.around(
      'delivery',
      nothing,
    )(sent).catch(error => {
      if (!(error instanceof EgressError)) throw error
    })
  }

  handlers(): DevHandlersOf<'egress'> & DevHandlersOf<'egressRequests'> {
    return {
      ...this.#log.handlers(),
      'dev.egress.respond': async ({ tenant, body }) => ({
        status: 201,
        body: this.answers.add(tenant, body),
      }),
      'dev.egress.list': async ({ tenant }) => ({ status: 200, body: { data: this.answers.list(tenant) } }),
      'dev.egress.clear': async ({ tenant }) => {
        this.answers.clear(tenant)
        this.#waits.end(tenant)
        return { status: 204 }
      },
    }
  }

  /** Ends the delays of answers. */
  endWaits(): void {
    this.#waits.endAll()
  }

  clear(): void {
    this.answers.reset()
    this.#log.clear()
  }

  close(): void {
    this.#waits.close()
  }
}

const isForInbox = ({ on, url }: Leaving) => on === 'delivery' && url.origin === inboxOrigin

/** What a function of a test has thrown may contain data. */
const recordedText = ({ reason, message }: EgressError, { respond }: Decision) =>
  respond && reason === 'development' ? 'the function of the test failed' : message

/** A function may never return, while the exchange has a deadline. */
function untilAborted<T>(signal: AbortSignal, answer: T): Promise<T> {
  const aborted = new Promise<never>((_, reject) => onAbort(signal)(() => reject(signal.reason)))
  return Promise.race([answer, aborted])
}

/** Of a message that a formula gets. */
const mostCharacters = 1000

/** Asks a function of a test. @throws {EgressError} if it throws, or returns no answer */
async function ask(respond: AnswerFunction, leaving: Leaving, sent: Sent): Promise<GivenAnswer> {
  const { url, ...rest } = leaving
  const headers = Object.fromEntries(
    Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  try {
    const answer: unknown = await untilAborted(sent.signal, respond({ ...rest, url: url.href, headers }))
    if (isAnswer(answer)) return answer
  } catch (error) {
    sent.signal.throwIfAborted()
    const { name, message } = Object(error) as { name?: unknown; message?: unknown }
    const text = `the function of dev.egress.respond threw ${name}: ${message}`
    throw new EgressError('development', text.slice(0, mostCharacters))
  }
  throw new EgressError('development', 'the function of dev.egress.respond returned no answer')
}

const options: Readonly<Record<Leaving['on'], string>> = {
  formula: '--formula-allow-origin (formulaAllowOrigins)',
  proxy: '--proxy-allow-origin (proxyAllowOrigins)',
  delivery: '--allow-private-callbacks (allowPrivateCallbacks)',
}

const unansweredText = (on: Leaving['on'], origin: string) =>
  `${on === 'formula' ? 'fetch is not available: ' : ''}neither an option nor a test answers ${origin}; allow it by ${options[on]}, or answer it by dev.egress.respond in a test`
