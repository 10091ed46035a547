import { LRUCache } from 'lru-cache'
import type { Applications } from '../access/applications.ts'
import type { Caller } from '../access/caller.ts'
import { digestOfKey } from '../access/keys.ts'
import { readTenant, tenantStore } from '../access/tenant-settings.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { lruOptions } from '../base/cache.ts'
import type { Channel } from '../base/channel.ts'
import { after } from '../base/flow/event-loop.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { Validators } from '../contract/validators.ts'
import { checkItems, checkResponse } from '../dev/check-response.ts'
import { FormulaConsole } from '../dev/console.ts'
import type { AnswerFunctions } from '../dev/egress/functions.ts'
import { StandIn } from '../dev/egress/stand-in.ts'
import { DevEndpoints, devPageFiles } from '../dev/endpoints.ts'
import { Events } from '../dev/events.ts'
import { explainingSearches } from '../dev/explain-search.ts'
import { ExplainedRefusals } from '../dev/explained-refusals.ts'
import { exportHandlers } from '../dev/export.ts'
import { Faults, faultHandlers } from '../dev/faults.ts'
import { FormulaRuns } from '../dev/formula-runs.ts'
import type { DevHandlers } from '../dev/handlers.ts'
import { Inbox, inboxOrigin } from '../dev/inbox.ts'
import { Journal, type Matchable } from '../dev/journal.ts'
import { Leaks } from '../dev/leaks/leaks.ts'
import type { RequestNotes } from '../dev/request-notes.ts'
import { serverHandlers } from '../dev/server-handlers.ts'
import { Snapshots } from '../dev/snapshots.ts'
import { validateStrictly } from '../dev/strictly.ts'
import { tenantHandlers } from '../dev/tenants.ts'
import { createTestObserver, type TestObserver } from '../dev/test-observer.ts'
import { UnknownMembers } from '../dev/unknown-members.ts'
import { proxyOperations } from '../generated/facts.ts'
import type { Handlers } from '../http/handlers/handler.ts'
import type { Outside } from '../http/pipeline/core.ts'
import type { Exchange, Respond, Services, Step } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import { InFlight } from '../http/pipeline/in-flight.ts'
import { identify, validate } from '../http/pipeline/lifecycle.ts'
import type { Refusals } from '../http/pipeline/refusals.ts'
import { changingPages, runSteps } from '../http/pipeline/respond.ts'
import type { CoreResponse } from '../http/transport/message.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import type { UndeclaredArguments } from '../reactors/reactor-parts.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Records } from '../storage/records/records.ts'
import type { TestRecords } from '../storage/records/test-records.ts'
import type { TokenChannels } from '../tokens/token-parts.ts'
import type { Around, AroundNetwork, OutgoingKind } from './around.ts'
import type { DurableClock } from './durable-clock.ts'
import type { Tenancy } from './tenancy.ts'

interface DevelopmentParts {
  readonly options: Pick<VaultOptions, 'log' | 'devToken'>
  readonly records: Records
  readonly testRecords: TestRecords
  readonly clock: DurableClock
  readonly random: Random
  readonly log: Log
  readonly audit: AuditRecorder
  readonly headerPrefix: string
  readonly headerNames: HeaderNames
  readonly validators: Validators
  readonly dialect: Dialect | undefined
  readonly applications: Applications
  readonly sessions: Sessions
  readonly channels: TokenChannels
  readonly undeclared: Channel<UndeclaredArguments>
  readonly functions: AnswerFunctions
}

const mostKeys = 10_000

/** What a server keeps and does for tests, in memory only. Loaded under `--dev` only. */
export class Development implements Around {
  readonly #observer: TestObserver
  readonly #parts: DevelopmentParts
  readonly #faults = new Faults()
  readonly #standIn: StandIn
  readonly #runs: FormulaRuns
  readonly #events = new Events()
  readonly #journal = new Journal((tenant, request) => this.#events.publish(tenant, 'request', request))
  /** The keys that this process has made, by their digest, as the store keeps digests only. */
  readonly #keys = new LRUCache<string, string>(lruOptions(mostKeys))
  readonly #refused: ExplainedRefusals
  readonly #idleness = new InFlight()
  /** What is noted about requests, by their callers: each request has an object of its own. */
  readonly #notes = new WeakMap<Caller, RequestNotes>()
  readonly #console = new FormulaConsole((tenant, reactor, line) =>
    this.#events.publish(tenant, 'console', { reactor_id: reactor, ...line }),
  )
  readonly #snapshots: Snapshots
  readonly #leaks: Leaks
  readonly #inbox: Inbox
  #tenancy: Tenancy | undefined
  #endpoints: DevEndpoints | undefined
  #refusals: Refusals | undefined

  constructor(parts: DevelopmentParts) {
    const { options, records, clock, audit, headerNames, validators, log, channels, applications } = parts
    this.#parts = parts
    this.#snapshots = new Snapshots({ records: parts.testRecords, clock, audit })
    this.#leaks = new Leaks({ store: records, nowUs: tenant => clock.nowUs(tenant) })
    const nowMs = (tenant: string) => clock.nowUs(tenant) / 1000
    this.#refused = new ExplainedRefusals(nowMs)
    this.#runs = new FormulaRuns({
      ...{ faults: this.#faults, notes: this.#notes, console: this.#console, records, nowMs },
    })
    this.#inbox = new Inbox({
      nowMs: () => clock.nowMs(),
      machineMs: () => clock.machineMs(),
      secretOf: async tenant => (await readTenant(await tenantStore(records, tenant)))?.webhook_secret ?? '',
      published: (tenant, webhook) => this.#events.publish(tenant, 'webhook', webhook),
      deliver: sent => this.#standIn.deliver(sent),
      order: (tenant, status, times) =>
        this.#standIn.answers.add(tenant, {
          url: `${inboxOrigin}/`,
          on: 'delivery',
          times,
          answer: { status },
        }),
    })
    this.#standIn = new StandIn({
      ...{ faults: this.#faults, functions: parts.functions, inbox: this.#inbox, nowMs },
      traceOf: by => this.#runs.notesOf(by)?.traceId,
      unanswered: (by, origin) => this.#runs.notesOf(by)?.addUnanswered(origin),
    })
    // In process, nobody reads a log that was not given.
    const print = options.log ? undefined : (line: string) => process.emitWarning(line, 'SurrogateWarning')
    this.#observer = createTestObserver({
      faults: this.#faults,
      journal: this.#journal,
      leaks: this.#leaks,
      idleness: this.#idleness,
      notes: this.#notes,
      explanations: this.#refused.explanations,
      unknownMembers: new UnknownMembers(validators, log, print),
      nowMs,
      headerNames,
    })
    applications.keys.made.listen(({ digest, key }) => void this.#keys.set(digest, key))
    channels.erased.listen(token => this.#refused.expired.note(token))
    channels.emptyMask.listen(({ caller, token, path, reason }) =>
      this.#notes.get(caller)?.addMask({ token_id: token, path, reason }),
    )
    parts.undeclared.listen(({ caller, found }) => {
      const notes = this.#notes.get(caller)
      if (notes) notes.suspects = found
    })
  }

  async opened(tenancy: Tenancy): Promise<void> {
    this.#tenancy = tenancy
    const { development } = tenancy
    if (!development) return
    const root = await this.#parts.records.root(this.#parts.clock.nowUs())
    for (const key of [development.publicKey, development.privateKey, development.managementKey]) {
      this.#keys.set(digestOfKey(root, development.tenantId, key), key)
    }
  }

  /** Responds to requests that leave the server, as tests have ordered. */
  outgoing(on: OutgoingKind): AroundNetwork {
    return {
      around: network => this.#standIn.around(on, network),
      // Formulas get a reason that those who develop them understand.
      alsoAllows: ({ tenant }, origin) => on === 'formula' || this.#standIn.answers.names(tenant, origin),
    }
  }

  sandbox(sandbox: Sandbox): Sandbox {
    return this.#runs.sandbox(sandbox)
  }

  handlers(handlers: Handlers): Handlers {
    return explainingSearches(handlers, this.#parts.records, () => this.#parts.clock.nowUs() / 1000)
  }

  /**
   * Lets requests fail as tests have ordered, when the caller is known and when the body is read, runs what follows in the
   * time of the tenant, and checks the items of long pages.
   */
  steps(steps: readonly Step[]): readonly Step[] {
    const { identified, parsed } = this.#observer
    const { tenants } = this.#parts.clock
    const identifiedInTime: Step = (exchange, services) =>
      after(identified(exchange), () => {
        const rest = services.steps.slice(services.steps.indexOf(identifiedInTime) + 1)
        return tenants.run(exchange.caller?.tenant, () => runSteps(rest, exchange, services))
      })
    // One step, as others have a turn behind each.
    const parsedAndValidated: Step = (exchange, services) =>
      after(exchange.body === undefined ? undefined : parsed(exchange), () =>
        validateStrictly(exchange, services),
      )
    const own = steps.flatMap(step => {
      if (step === identify) return [identify, identifiedInTime]
      return step === validate ? parsedAndValidated : step
    })
    return changingPages(own, (exchange, operation, page) => ({
      ...page,
      data: checkItems(this.#parts, exchange, operation, page),
    }))
  }

  checked(respond: Respond): Respond {
    return async exchange => this.#check(exchange, await respond(exchange))
  }

  respond(respond: Respond): Respond {
    return exchange => this.#observer.observe(exchange, respond)
  }

  /** Adds the endpoints below `/_dev`. */
  outside(outside: Outside): Outside {
    return exchange => {
      const path = exchange.request.path.replace(/\/$/, '')
      return path === '/_dev' || path.startsWith('/_dev/') ? this.#serve(exchange, path) : outside(exchange)
    }
  }

  serving(services: Services, refusals: Refusals): void {
    const { options, headerPrefix } = this.#parts
    const page = devPageFiles(headerPrefix)
    this.#refusals = refusals
    this.#endpoints = new DevEndpoints(services, this.#devHandlers(), page, options.devToken)
  }

  async #serve(exchange: Exchange, path: string): Promise<CoreResponse> {
    const [endpoints, refusals] = [this.#endpoints, this.#refusals]
    if (!endpoints || !refusals) throw new Error('the endpoints are not open yet')
    const response = await endpoints.respond(exchange, path).catch(error => refusals.refuse(exchange, error))
    return this.#check(exchange, response)
  }

  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#idleness.during(work)
  }

  alone(work: () => Promise<void>, timeoutMs: number): Promise<void> {
    // Ends the waits of requests.
    this.#faults.reset()
    this.#standIn.endWaits()
    return this.#idleness.alone(work, timeoutMs)
  }

  cleared(): void {
    this.#faults.reset()
    this.#standIn.clear()
    this.#console.clear()
    this.#journal.clear()
    this.#inbox.clear()
    this.#events.clear()
    this.#keys.clear()
    this.#refused.expired.clear()
    this.#snapshots.clear()
    this.#leaks.clear()
  }

  close(): void {
    this.#faults.close()
    this.#standIn.close()
    this.cleared()
  }

  /** Explains a refusal, and returns another response in the place of one that breaks the contract. */
  #check(exchange: Exchange, response: CoreResponse): CoreResponse {
    const { refusal } = exchange
    const shown = refusal ? this.#refused.respond(exchange, refusal) : response
    return this.#observer.isFaulty(exchange) ? shown : checkResponse(this.#parts, exchange, shown)
  }

  #devHandlers(): DevHandlers {
    const tenancy = this.#tenancy
    if (!tenancy) throw new Error('the tenants are not open yet')
    const { records, clock, random, applications, sessions, validators } = this.#parts
    const nowUs = (tenant?: string) => clock.nowUs(tenant)
    const keyOf = (digest: string) => this.#keys.get(digest)
    const recorded: readonly Matchable[] = [...validators.operations, ...Object.values(proxyOperations)]
    const operations = recorded.map(({ id }) => id)
    return {
      ...this.#snapshots.handlers(),
      ...this.#leaks.handlers(),
      ...tenantHandlers({ store: records, sessions, applications, nowUs, keyOf, ...tenancy }),
      ...faultHandlers(this.#faults, operations),
      ...exportHandlers({ store: records, random, nowUs, keyOf }),
      ...this.#journal.handlers(recorded),
      ...this.#inbox.handlers(),
      ...this.#events.handlers(),
      ...this.#standIn.handlers(),
      ...this.#runs.handlers(),
      ...serverHandlers({ ...tenancy, idleness: this.#idleness, records, nowMs: () => clock.nowMs() }),
    }
  }
}
