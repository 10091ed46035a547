import { LRUCache } from 'lru-cache'
import { Applications } from './access/applications.ts'
import { applyBootstrap, type Bootstrap, readBootstrap } from './access/bootstrap.ts'
import { developmentTenant } from './access/development-tenant.ts'
import { createTenant, type NewTenant, type TenantsContext } from './access/tenants.ts'
import { AuditRecorder } from './audit/recorder.ts'
import { upTo } from './base/cache-size.ts'
import type { Clock } from './base/clock.ts'
import type { JsonValue } from './base/json.ts'
import { type Log, silentLog } from './base/log.ts'
import { type Random, systemRandom } from './base/random.ts'
import { Turns } from './base/turn.ts'
import { readDocument } from './contract/contract.ts'
import { Validators } from './contract/validators.ts'
import { keyLength } from './crypto/envelope.ts'
import { openDurableClock, type RealTime } from './durable-clock.ts'
import { createCallbackSender } from './egress/callback-sender.ts'
import { createFormulaEgress } from './egress/formula-egress.ts'
import { createExpressions } from './expressions/engine.ts'
import { type Core, createCore } from './http/core.ts'
import { Cors } from './http/cors.ts'
import { Docs } from './http/docs.ts'
import { applicationHandlers } from './http/handlers/applications.ts'
import type { Handlers } from './http/handlers/handler.ts'
import { logHandlers } from './http/handlers/logs.ts'
import { formulaHandlers } from './http/handlers/reactor-formulas.ts'
import { reactorHandlers } from './http/handlers/reactors.ts'
import { idempotentReplays } from './http/handlers/replays.ts'
import { sessionHandlers } from './http/handlers/sessions.ts'
import { tokenizationHandlers } from './http/handlers/tokenization.ts'
import { tokenHandlers } from './http/handlers/tokens.ts'
import { answerBeside, type Besides } from './http/outside.ts'
import { Router } from './http/routes.ts'
import { serviceTransport } from './http/service-transport.ts'
import { FormulaConsole } from './reactors/console.ts'
import type { ReactorsContext } from './reactors/context.ts'
import { performJob } from './reactors/perform.ts'
import { readPrinted } from './reactors/read-printed.ts'
import { startSweeper } from './retention/sweeper.ts'
import { createSandbox, type FormulaSandbox } from './sandbox/create.ts'
import { type Isolation, IsolationMissing, requireIsolation } from './sandbox/isolation.ts'
import { FormulaModuleRefused } from './sandbox/modules.ts'
import { endSessionsOf } from './sessions/end.ts'
import { Keyring } from './storage/keys/keyring.ts'
import { developmentMasterKey } from './storage/keys/master-key.ts'
import { openStore, parseStorage, type StorageLocation } from './storage/open.ts'
import type { Store } from './storage/port.ts'
import { type OnBroken, SealedStore } from './storage/records/sealed.ts'
import { readExpiration } from './tokens/expiry.ts'
import {
  defaultAuditRetentionDays,
  type VaultFacts,
  type VaultOptions,
  VaultOptionsError,
  type VaultParts,
} from './vault-options.ts'
import type { Performer } from './webhooks/context.ts'
import { createWebhooks } from './webhooks/webhooks.ts'

export interface Assembled {
  readonly core: Core
  readonly clock: Clock
  readonly tenants: TenantsContext
  readonly facts: VaultFacts
  advance(ms: number): Promise<void>
  reset(): Promise<void>
  /** Is told when a port is open. */
  listening(): void
  close(): Promise<void>
}

/** The composition root: every part is made here and handed what it needs. */
export async function assemble(options: VaultOptions, parts: VaultParts): Promise<Assembled> {
  const random = parts.random ?? systemRandom()
  const location = parseStorage(options.storage ?? 'memory:')
  const validators = new Validators(options.headerPrefix ?? 'SVC')
  const store = await (parts.openStore ?? openStore)(location, options.dev)
  try {
    return await wire(options, parts, location, store, validators, random)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function wire(
  options: VaultOptions,
  parts: VaultParts,
  location: StorageLocation,
  store: Store,
  validators: Validators,
  random: Random,
): Promise<Assembled> {
  const { dev = false, headerPrefix = 'SVC', log = silentLog } = options
  const master = await masterKey(options, location, random)
  const sealed = new SealedStore(store, new Keyring(store, master.key, random), random, tellOnce(log))
  const clock = await openDurableClock(realTime(options, store), sealed, log)
  const nowUs = () => clock.nowUs()

  const sessions = { store: sealed, random, nowUs }
  const applications = new Applications({
    ...sessions,
    endSessionsOf: (tenant, application, actor) => endSessionsOf(sessions, tenant, application, actor),
    readExpiration: text => readExpiration(text, nowUs()),
  })
  const tenants: TenantsContext = { store: sealed, random, applications, nowUs }
  const audit = new AuditRecorder({ store: sealed, random, log, clock })
  const turns = () => new Turns(parts.monotonicMs)
  const tokens = {
    audit,
    store: sealed,
    random,
    nowUs,
    schemas: validators,
    turns,
    expressions: createExpressions({ random: length => random.bytes(length), nowMs: () => clock.nowMs() }),
  }

  const headerNames = {
    key: `${headerPrefix}-API-KEY`,
    idempotency: `${headerPrefix}-IDEMPOTENCY-KEY`,
    trace: `${headerPrefix}-TRACE-ID`,
  }
  const sandbox = createSandbox(
    {
      headerPrefix,
      log,
      ...(options.formulaModules ? { modules: options.formulaModules } : {}),
      ...(options.formulaAllowOrigins?.length
        ? { egress: createFormulaEgress({ origins: options.formulaAllowOrigins }) }
        : {}),
    },
    parts.sandboxParts,
  )
  // Modules that cannot be given to formulas keep the server from starting; all else it can do without formulas.
  if (options.warmFormulas && options.formulaModules?.length) await sandbox.start()
  if (options.requireIsolation) await checkIsolation(sandbox)
  let warm = () => {}
  const isolation = new Promise<Isolation | 'none'>(resolve => {
    warm = () => resolve(startFormulas(sandbox, log))
  })
  const callbacks = { allowPrivate: options.allowPrivateCallbacks ?? false }
  const webhooks = createWebhooks({
    store: sealed,
    tokens,
    clock,
    random,
    log,
    callbacks,
    send: createCallbackSender(callbacks),
    traceHeader: headerNames.trace,
  })
  const performer: Performer = { perform: (job, receipt) => performJob(reactors, job, receipt) }
  const formulaConsole = dev ? new FormulaConsole() : undefined
  const reactors: ReactorsContext = {
    store: sealed,
    random,
    nowUs,
    tokens,
    sandbox: parts.sandbox ?? sandbox,
    jobs: parts.jobs?.(performer, tokens) ?? webhooks,
    console: formulaConsole,
    service: delegation =>
      serviceTransport(
        core,
        delegation,
        headerNames.idempotency.toLowerCase(),
        headerNames.trace.toLowerCase(),
      ),
  }

  const bootstrap: Bootstrap | undefined =
    options.bootstrap === undefined ? undefined : readBootstrap(options.bootstrap, validators)
  if (bootstrap) await applyBootstrap(tenants, bootstrap)
  const wanted = options.developmentTenant ?? (dev && location.engine !== 'memory')
  const development = wanted ? await developmentTenant(tenants) : undefined

  const reset = async () => {
    await sealed.clear()
    formulaConsole?.clear()
    if (bootstrap) await applyBootstrap(tenants, bootstrap)
    if (development) await developmentTenant(tenants, development)
    await clock.keep()
  }
  const advance = async (ms: number) => {
    await clock.advance(ms)
    await clock.keep()
  }
  const besides: Besides = {
    dev,
    unhealthy: () => store.unhealthy(),
    formulas: () => sandbox.isolation(),
    docs: path => docs.answer(path),
    advanceClock: async ms => {
      await advance(ms)
      return { now: new Date(clock.nowMs()).toISOString() }
    },
    reset,
    createTenant: async operator => tenantOnTheWire(await createTenant(tenants, { operator })),
    printed: async (key, reactor) => readPrinted(reactors, key, reactor),
    keyHeader: headerNames.key.toLowerCase(),
  }
  const docs = new Docs(() => readDocument(options.headerPrefix ?? 'SVC'))
  const handlers: Handlers = {
    ...tokenHandlers(tokens),
    ...tokenizationHandlers(tokens),
    ...sessionHandlers(sessions),
    ...applicationHandlers(applications),
    ...logHandlers({ store: sealed, audit, nowUs }),
    ...formulaHandlers(reactors),
    ...reactorHandlers(reactors),
  }
  const core: Core = createCore({
    services: {
      router: new Router(validators.operations),
      validators,
      handlers,
      replays: idempotentReplays({ applications, reactors, sessions }),
      inFlight: new Set(),
      audit,
      random,
      store: sealed,
      clock,
      turns,
      keyHeader: headerNames.key.toLowerCase(),
      idempotencyHeader: headerNames.idempotency.toLowerCase(),
    },
    cors: new Cors(options.corsOrigins ?? (dev ? ['*'] : []), headerPrefix),
    log,
    random,
    traceHeader: headerNames.trace,
    beside: request => answerBeside(besides, request),
    dev,
  })
  clock.keepRegularly()
  webhooks.start(parts.performer ?? performer)
  const stopSweeping = startSweeper({
    store: sealed,
    tokens,
    sessions,
    nowUs,
    clock,
    log,
    holder: random.uuid(),
    auditRetentionDays: auditRetention(options),
    yield: () => new Promise(resolve => setImmediate(resolve)),
  })
  return {
    core,
    clock,
    tenants,
    facts: {
      ...(development ? { development } : {}),
      ...(options.warmFormulas ? { isolation } : {}),
      ...(master.file === undefined ? {} : { masterKeyFile: master.file }),
      ...(master.file !== undefined && master.made ? { madeMasterKey: master.file } : {}),
    },
    advance,
    reset,
    // Not before: what starts the processes of formulas would take its time from this one's start.
    listening: options.warmFormulas ? warm : () => {},
    close: async () => {
      stopSweeping()
      await webhooks.close()
      await parts.sandbox?.close()
      await sandbox.close()
      await clock.stop()
      // A restart goes on from here, whatever the machine's clock shows then.
      if (store.unhealthy() === undefined) await clock.keep().catch(() => {})
      await audit.close()
      await store.close()
    },
  }
}

/** @throws {VaultOptionsError} */
function auditRetention({ auditRetentionDays: days = defaultAuditRetentionDays }: VaultOptions): number {
  if (Number.isSafeInteger(days) && days >= 1) return days
  throw new VaultOptionsError('auditRetentionDays must be a whole number of days, 1 or more')
}

/** A test's own time, the time that several servers share, or the machine's. */
function realTime(options: VaultOptions, store: Store): RealTime {
  if (options.now) return { nowMs: options.now }
  return { nowMs: store.now?.bind(store) ?? Date.now, monotonicMs: () => performance.now() }
}

async function masterKey(
  options: VaultOptions,
  location: StorageLocation,
  random: Random,
): Promise<{ readonly key: Uint8Array; readonly file?: string; readonly made?: boolean }> {
  if (options.masterKey) return { key: options.masterKey }
  if (location.engine === 'memory') return { key: random.bytes(keyLength) }
  if (options.dev && location.engine === 'level') {
    return developmentMasterKey(location.folder, random)
  }
  throw new VaultOptionsError(
    location.engine === 'postgres'
      ? 'there is no master key: set SURROGATE_MASTER_KEY to 32 bytes in base64, the same for all servers on this database'
      : 'there is no master key: set SURROGATE_MASTER_KEY to 32 bytes in base64, or use --dev for a test server',
  )
}

/** @throws {IsolationMissing} and leaves no process behind */
async function checkIsolation(sandbox: FormulaSandbox): Promise<void> {
  try {
    requireIsolation(await sandbox.start())
  } catch (error) {
    await sandbox.close()
    if (error instanceof IsolationMissing || error instanceof FormulaModuleRefused) throw error
    requireIsolation('none')
  }
}

/** A server that cannot run formulas can do all the rest, so it starts; what it was told wrongly stops it. */
async function startFormulas(sandbox: FormulaSandbox, log: Log): Promise<Isolation | 'none'> {
  try {
    const isolation = await sandbox.start()
    sandbox.warm().catch(() => log.error('no process for formulas can be started'))
    return isolation
  } catch (error) {
    if (error instanceof FormulaModuleRefused) throw error
    return 'none'
  }
}

/** A record that lists pass over is named once, not with each list: whoever may list could fill the log. */
function tellOnce(log: Log): OnBroken {
  const told = new LRUCache<string, true>(upTo(10_000))
  return ({ kind, tenant, address, code }) => {
    if (told.has(code)) return
    told.set(code, true)
    log.error('a stored record does not open', { kind, tenant, address })
  }
}

function tenantOnTheWire(tenant: NewTenant): JsonValue {
  return {
    tenant_id: tenant.tenantId,
    public_key: tenant.publicKey,
    private_key: tenant.privateKey,
    management_key: tenant.managementKey,
    webhook_secret: tenant.webhookSecret,
  }
}
