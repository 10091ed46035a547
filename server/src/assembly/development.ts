import { LRUCache } from 'lru-cache'
import type { Applications } from '../access/applications.ts'
import type { Caller } from '../access/caller.ts'
import { digestOfKey } from '../access/keys.ts'
import { readTenant, tenantStore } from '../access/tenant-settings.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { lruOptions } from '../base/cache.ts'
import type { Channel } from '../base/channel.ts'
import type { ServiceError } from '../base/errors.ts'
import { after, onAbort } from '../base/flow/event-loop.ts'
import type { Log } from '../base/log.ts'
import type { LongPage, Page } from '../base/page.ts'
import type { Random } from '../base/random.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { Explanation, Token } from '../contract/types.ts'
import type { Validators } from '../contract/validators.ts'
import { checkItems, checkResponse } from '../dev/check-response.ts'
import { FormulaConsole, Printed, readAllPrinted, readPrinted } from '../dev/console.ts'
import { DevEndpoints, devPageFiles } from '../dev/endpoints.ts'
import { Events } from '../dev/events.ts'
import { explainSearch } from '../dev/explain-search.ts'
import { explain, RecentlyExpired } from '../dev/explanation.ts'
import { exportHandlers } from '../dev/export.ts'
import { Faults, faultHandlers } from '../dev/faults.ts'
import type { DevHandlers } from '../dev/handlers.ts'
import { Inbox, inboxOrigin } from '../dev/inbox.ts'
import { Journal } from '../dev/journal.ts'
import { Leaks } from '../dev/leaks/leaks.ts'
import type { Matchable } from '../dev/matching.ts'
import { type Reason, reasonOf } from '../dev/reasons.ts'
import type { RequestNotes } from '../dev/request-notes.ts'
import { Snapshots } from '../dev/snapshots.ts'
import { validateStrictly } from '../dev/strictly.ts'
import { tenantHandlers } from '../dev/tenants.ts'
import { createTestObserver, type TestObserver } from '../dev/test-observer.ts'
import { UnknownMembers } from '../dev/unknown-members.ts'
import type { CallbackSender } from '../egress/callback-sender.ts'
import { EgressError } from '../egress/egress-error.ts'
import { proxyOperations } from '../generated/facts.ts'
import type { Handlers } from '../http/handlers/handler.ts'
import type { Outside } from '../http/pipeline/core.ts'
import type { Exchange, Respond, Services, Step } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import { InFlight } from '../http/pipeline/in-flight.ts'
import { identify, validate } from '../http/pipeline/lifecycle.ts'
import { problemResponse } from '../http/pipeline/problem.ts'
import type { Refusals } from '../http/pipeline/refusals.ts'
import { changingPages, runSteps } from '../http/pipeline/respond.ts'
import type { CoreResponse } from '../http/transport/message.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import type { UndeclaredArguments } from '../reactors/reactor-parts.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { parseQuery } from '../search/parse.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Records } from '../storage/records/records.ts'
import type { TestRecords } from '../storage/records/test-records.ts'
import type { AbsentTokens, TokenChannels } from '../tokens/token-parts.ts'
import type { Around } from './around.ts'
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
}

const mostKeys = 10_000

/** Deliveries that are due later are counted up to this number. */
const mostCounted = 100_000

/** What a server keeps and does for tests, in memory only. Loaded under `--dev` only. */
export class Development implements Around {
  readonly #observer: TestObserver
  readonly #parts: DevelopmentParts
  readonly #faults = new Faults()
  readonly #events = new Events()
  readonly #journal = new Journal((tenant, request) => this.#events.publish(tenant, 'request', request))
  /** The keys that this process has made, by their digest, as the store keeps digests only. */
  readonly #keys = new LRUCache<string, string>(lruOptions(mostKeys))
  readonly #expired = new RecentlyExpired()
  readonly #idleness = new InFlight()
  /** What is noted about requests, by their callers: each request has an object of its own. */
  readonly #notes = new WeakMap<Caller, RequestNotes>()
  readonly #console = new FormulaConsole((tenant, reactor, line) =>
    this.#events.publish(tenant, 'console', { reactor_id: reactor, ...line }),
  )
  readonly #explanations = new WeakMap<Exchange, Explanation>()
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
    this.#inbox = new Inbox({
      nowMs: () => clock.nowMs(),
      machineMs: () => clock.machineMs(),
      secretOf: async tenant => (await readTenant(await tenantStore(records, tenant)))?.webhook_secret ?? '',
      published: (tenant, webhook) => this.#events.publish(tenant, 'webhook', webhook),
    })
    // In process, nobody reads a log that was not given.
    const print = options.log ? undefined : (line: string) => process.emitWarning(line, 'SurrogateWarning')
    this.#observer = createTestObserver({
      faults: this.#faults,
      journal: this.#journal,
      leaks: this.#leaks,
      idleness: this.#idleness,
      notes: this.#notes,
      explanations: this.#explanations,
      unknownMembers: new UnknownMembers(validators, log, print),
      nowMs: tenant => clock.nowUs(tenant) / 1000,
      headerNames,
    })
    applications.keys.made.listen(({ digest, key }) => void this.#keys.set(digest, key))
    channels.erased.listen(token => this.#expired.note(token))
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

  /** Delivers to the inbox, and fails as tests have ordered. */
  sender(send: CallbackSender): CallbackSender {
    const faults = this.#faults
    return async callback => {
      const { tenant, reactor, traceId, signal } = callback
      const fault = faults.take({ on: 'delivery', tenant, reactor, traceId })
      if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onAbort(signal))
      if (signal.aborted) throw new EgressError('network', 'the delivery was given up')
      if (fault?.drop !== undefined) throw new EgressError('network', 'a test has ordered this fault')
      if (fault?.status !== undefined) return fault.status
      return new URL(callback.url).origin === inboxOrigin ? this.#inbox.receive(callback) : send(callback)
    }
  }

  /** Is busy as tests have ordered, and keeps what formulas print. */
  sandbox(sandbox: Sandbox): Sandbox {
    const faults = this.#faults
    return {
      run: async invocation => {
        const { tenant, reactor = '', lane, caller } = invocation
        const fault = faults.take({ on: 'formula', tenant, reactor })
        const onDisconnect = lane === 'sync' && caller ? this.#notes.get(caller)?.onDisconnect : undefined
        if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onDisconnect)
        if (fault) return { kind: 'busy' }
        const printed = new Printed()
        const outcome = await sandbox.run({
          ...invocation,
          explains: true,
          onConsole: line => {
            printed.add(line)
            this.#console.print(tenant, reactor, line, this.#parts.clock.nowUs(tenant) / 1000)
          },
        })
        const isFailure =
          outcome.kind === 'refused' || outcome.kind === 'unusable' || outcome.kind === 'failed'
        return isFailure ? { ...outcome, printed: printed.lines } : outcome
      },
      close: () => sandbox.close(),
    }
  }

  /** Says why a search has found nothing. */
  handlers(handlers: Handlers): Handlers {
    return {
      ...handlers,
      'tokens.search': async request => {
        const answer = await handlers['tokens.search'](request)
        const page = answer.body as Page<Token> | LongPage<Token>
        if (page.pagination.total_items > 0) return answer
        const { caller, body } = request
        const store = await tenantStore(this.#parts.records, caller.tenant)
        const nowMs = this.#parts.clock.nowUs() / 1000
        const explanation = await explainSearch(store, nowMs, caller, parseQuery(body.query ?? ''))
        Object.assign(page, { explanation })
        return answer
      },
    }
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
    return this.#idleness.alone(work, timeoutMs)
  }

  cleared(): void {
    this.#faults.reset()
    this.#console.clear()
    this.#journal.clear()
    this.#inbox.clear()
    this.#events.clear()
    this.#keys.clear()
    this.#expired.clear()
    this.#snapshots.clear()
    this.#leaks.clear()
  }

  close(): void {
    this.#faults.close()
    this.cleared()
  }

  /** Explains a refusal, and returns another response in the place of one that breaks the contract. */
  #check(exchange: Exchange, response: CoreResponse): CoreResponse {
    const { refusal } = exchange
    const shown = refusal ? this.#explained(exchange, refusal) : response
    return this.#observer.isFaulty(exchange) ? shown : checkResponse(this.#parts, exchange, shown)
  }

  /** Says who asked, the rights, and why. */
  #explained(exchange: Exchange, refusal: ServiceError): CoreResponse {
    const reason = this.#reasonOf(exchange.caller, refusal)
    const explanation = explain(exchange, refusal, reason)
    if (explanation) this.#explanations.set(exchange, explanation)
    const text = reason.text ?? explanation?.formula?.message
    return problemResponse(refusal, exchange.traceId, text, explanation)
  }

  #reasonOf(caller: Caller | undefined, refusal: ServiceError): Reason {
    const reason = reasonOf(refusal)
    if (!caller || !Object(refusal.cause).absent) return reason
    const nowMs = this.#parts.clock.nowUs(caller.tenant) / 1000
    return { ...reason, text: this.#expired.reason(caller.tenant, refusal.cause as AbsentTokens, nowMs) }
  }

  #devHandlers(): DevHandlers {
    const tenancy = this.#tenancy
    if (!tenancy) throw new Error('the tenants are not open yet')
    const { records, clock, random, applications, sessions, validators } = this.#parts
    const nowUs = (tenant?: string) => clock.nowUs(tenant)
    const keyOf = (digest: string) => this.#keys.get(digest)
    const recorded: readonly Matchable[] = [...validators.operations, ...Object.values(proxyOperations)]
    const operations = recorded.map(({ id }) => id)
    const consoles = { console: this.#console, records }
    const { advanceTenant } = tenancy
    return {
      ...this.#snapshots.handlers(),
      ...this.#leaks.handlers(),
      ...tenantHandlers({ store: records, sessions, applications, nowUs, advanceTenant, keyOf }),
      ...faultHandlers(this.#faults, operations),
      ...exportHandlers({ store: records, random, nowUs, keyOf }),
      ...this.#journal.handlers(recorded),
      ...this.#inbox.handlers(),
      ...this.#events.handlers(),
      'dev.settled': async () => {
        do {
          await this.#idleness.idle()
          await tenancy.catchUp()
          // A job may have been accepted meanwhile.
        } while (!this.#idleness.isIdle)
        const later = (await records.due('job', Number.MAX_SAFE_INTEGER, mostCounted)).length
        return { status: 200, body: { later } }
      },
      'dev.clock.advance': async ({ body }) => {
        await tenancy.advance(body.advance_ms)
        return { status: 200, body: { now: new Date(clock.nowMs()).toISOString() } }
      },
      'dev.reset': async () => {
        await tenancy.reset()
        return { status: 204 }
      },
      'dev.tenants.create': async ({ body }) => {
        const tenant = await tenancy.createTenant(body)
        return {
          status: 201,
          body: {
            tenant_id: tenant.tenantId,
            public_key: tenant.publicKey,
            private_key: tenant.privateKey,
            management_key: tenant.managementKey,
            webhook_secret: tenant.webhookSecret,
          },
        }
      },
      'dev.console.list': async ({ tenant, path }) => ({
        status: 200,
        body: { data: await readPrinted(consoles, tenant, path.id) },
      }),
      'dev.consoles.list': async ({ tenant }) => ({
        status: 200,
        body: { data: await readAllPrinted(consoles, tenant) },
      }),
    }
  }
}
