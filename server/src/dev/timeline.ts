import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import type { Immutable } from '../contract/types.ts'
import type {
  DevConsoleLine,
  DevFault,
  DevRecordedRequest,
  DevTimelineEntry,
  DevWebhook,
} from '../generated/dev-client/index.ts'
import { TenantLogs } from './bounded-log.ts'
import type { DevHandlers, DevHandlersOf } from './handlers.ts'
import { redact } from './redact.ts'

/** As the contract says. */
const mostEntries = 1000
const mostBytes = 1_000_000

type Entry = Immutable<DevTimelineEntry>
type Kind = Entry['kind']
type Happened = Omit<Entry, 'kind' | 'at'> & { readonly at?: string }

/** An entry, and its place among all. Moves of the server's clock are kept once, for all tenants. */
interface Kept {
  readonly order: number
  readonly entry: Entry
  /** Only compared with others, and never shown: its caller has chosen it. */
  readonly idempotencyKey?: string | undefined
}

/** Members of faults that can only be a number, or a word of the contract. */
const shownOfFaults = new Set([
  ...['on', 'operation', 'application_id', 'reactor_id', 'skip', 'times', 'status', 'retry_after', 'latency'],
  ...['drop', 'truncate', 'timeout'],
])

/** Keeps what happened in each tenant, without what callers and formulas chose, for the reports of failed tests. */
export class Timeline {
  readonly #logs = new TenantLogs<Kept>(mostEntries, mostBytes)
  readonly #nowMs: (tenant: string) => number
  #order = 0

  /** @param nowMs returns the time of a tenant */
  constructor(nowMs: (tenant: string) => number) {
    this.#nowMs = nowMs
  }

  request(tenant: string, request: Immutable<DevRecordedRequest>): void {
    const { number, at, operation, status, error, duration_ms, faulty, formula, body, explanation } = request
    const permission = status === 403 ? explanation?.permission : undefined
    const members = { number, at, operation, status, error, duration_ms, faulty, formula, body, permission }
    this.#add(tenant, 'request', members, request.idempotency_key)
  }

  webhook(tenant: string, { reactor_id, attempts, body }: Immutable<DevWebhook>): void {
    const status = attempts.at(-1)?.status
    this.#add(tenant, 'webhook', {
      reactor_id,
      attempt: attempts.length,
      status,
      body: redact(body as JsonValue),
    })
  }

  console(tenant: string, line: DevConsoleLine & { readonly reactor_id: string }): void {
    const { reactor_id, level, text } = line
    this.#add(tenant, 'console', {
      reactor_id,
      level,
      body: redact(text),
    })
  }

  /** Returns handlers that note what the given ones did. */
  watching(handlers: DevHandlers): DevHandlers {
    const noting =
      <Id extends keyof DevHandlers>(id: Id, kind: Kind, of?: (body: unknown) => object, isForAll = false) =>
      async (request: Parameters<DevHandlers[Id]>[0]): Promise<Awaited<ReturnType<DevHandlers[Id]>>> => {
        const answer = await handlers[id](request as never)
        this.#add(isForAll ? forAll : request.tenant, kind, of?.(request.body) ?? {})
        return answer as Awaited<ReturnType<DevHandlers[Id]>>
      }
    return {
      ...handlers,
      'dev.faults.add': noting('dev.faults.add', 'fault', body => ({ fault: shownFault(body as JsonValue) })),
      'dev.snapshots.restore': noting('dev.snapshots.restore', 'restore'),
      'dev.tenantClock.advance': noting('dev.tenantClock.advance', 'clock'),
      'dev.clock.advance': noting('dev.clock.advance', 'clock', undefined, true),
      'dev.requests.clear': async request => {
        this.#logs.drop(request.tenant)
        return handlers['dev.requests.clear'](request)
      },
    }
  }

  handlers(faultsOf: (tenant: string) => readonly DevFault[]): DevHandlersOf<'timeline'> {
    return {
      'dev.timeline.get': async ({ tenant }) => ({
        status: 200,
        body: {
          now: this.#time(tenant),
          data: this.#entries(tenant),
          faults: faultsOf(tenant).map(({ fault, used, left }) => ({ fault: shownFault(fault), used, left })),
        },
      }),
    }
  }

  clear(): void {
    this.#logs.clear()
  }

  #entries(tenant: string): Entry[] {
    const all = (of: string) => this.#logs.of(of).list(() => true)
    const own = all(tenant)
    const [first] = own
    const moves = all(forAll).filter(({ order }) => first && order > first.order)
    const numbers = new Map<string, number>()
    return [...own, ...moves]
      .sort((a, b) => a.order - b.order)
      .map(({ entry, idempotencyKey }) => {
        if (idempotencyKey === undefined || entry.number === undefined) return entry
        const repeats = numbers.get(idempotencyKey)
        if (repeats !== undefined) return { ...entry, repeats }
        numbers.set(idempotencyKey, entry.number)
        return entry
      })
  }

  #time(tenant: string): string {
    return new Date(this.#nowMs(tenant)).toISOString()
  }

  #add(tenant: string, kind: Kind, happened: object, idempotencyKey?: string): void {
    const { at = this.#time(tenant), ...members } = happened as Happened
    const given = Object.entries(members).filter(([, value]) => value !== undefined)
    const entry: Entry = { at, kind, ...Object.fromEntries(given) }
    const bytes = JSON.stringify(entry).length + (idempotencyKey?.length ?? 0)
    this.#logs.of(tenant).add({ order: ++this.#order, entry, idempotencyKey }, bytes)
  }
}

/** Tenants have ids that are not empty. */
const forAll = ''

function shownFault(fault: JsonValue | Immutable<object>): JsonValue {
  const members = isJsonObject(fault) ? Object.entries(fault) : []
  return Object.fromEntries(
    members.map(([name, value]) => [name, shownOfFaults.has(name) ? value : redact(value)]),
  )
}
