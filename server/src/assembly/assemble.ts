import { Applications } from '../access/applications.ts'
import { AuditLog } from '../access/audit-log.ts'
import { Tenants } from '../access/tenants.ts'
import { AuditRecorder } from '../audit/recorder.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { Places } from '../base/flow/places.ts'
import { RequestPlaces } from '../base/flow/request-places.ts'
import {
  type Admissions,
  connectionLimits,
  createAdmissions,
  placeLimits,
  reactorChangeLimits,
} from '../base/limits.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { Validators } from '../contract/validators.ts'
import type { DurableClock } from '../durable-clock.ts'
import { ownAddresses } from '../egress/addresses.ts'
import { createCallbackSender, observeDelivery } from '../egress/callback-sender.ts'
import { createExpressions } from '../expressions/engine.ts'
import { Formulas } from '../formulas/formulas.ts'
import { headerPrefix as contractHeaderPrefix } from '../generated/facts.ts'
import { openOperatorPort } from '../http/outside/operator-port.ts'
import type { Health } from '../http/outside/paths.ts'
import type { Core } from '../http/pipeline/core.ts'
import { headerNamesOf } from '../http/pipeline/header-names.ts'
import { InFlight } from '../http/pipeline/in-flight.ts'
import type { Address, Listening } from '../http/transport/listener.ts'
import { serviceTransport } from '../http/transport/service-transport.ts'
import { VaultOptionsError } from '../options/errors.ts'
import { checkOptions } from '../options/table.ts'
import { defaultAuditRetentionDays, type VaultOptions } from '../options/vault-options.ts'
import { Reactors } from '../reactors/reactors.ts'
import { Sweeper } from '../retention/sweeper.ts'
import type { FormulaSandbox } from '../sandbox/create.ts'
import type { Isolation } from '../sandbox/processes/isolation.ts'
import { observeSandbox } from '../sandbox/sandbox.ts'
import { Sessions } from '../sessions/sessions.ts'
import { diskOf } from '../storage/open.ts'
import { TokenChannels } from '../tokens/token-parts.ts'
import { Tokens } from '../tokens/tokens.ts'
import type { Performer } from '../webhooks/webhook-parts.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { nothing } from './around.ts'
import type { VaultFacts } from './facts.ts'
import { openSandbox, warmFormulas } from './formulas.ts'
import { createHttp } from './http.ts'
import { openStorage, type Storage, type VaultParts } from './storage.ts'
import { openTenancy, type Tenancy } from './tenancy.ts'

interface Assembled extends Pick<Tenancy, 'createTenant' | 'onlyTenant' | 'advance' | 'reload' | 'reset'> {
  readonly clock: DurableClock
  readonly admissions: Admissions
  readonly core: Core
  /** Opens a port for metrics and health. @throws {VaultOptionsError} if metrics are not kept */
  listenForOperators(address: Address): Promise<Listening>
  /** To be called before the vault closes: from then on it is not ready. */
  drain(): void
  readonly facts: VaultFacts
  /** To be called when a port is open. */
  listening(): void
  /** Resolves when no request is under way, or after the time that connections have, too, to finish theirs. */
  finished(): Promise<void>
  /** Ends the waits of tests, such as those of faults. */
  endWaits(): void
  close(): Promise<void>
}

/** The sockets of a vault, which are opened later. */
interface Sockets {
  /** Counts the open connections. */
  connections(): number
  /** Returns the ports that are open now. */
  ports(): readonly number[]
}

/** Constructs a vault: storage, then each room with what it needs, then what serves requests, then what runs by itself. */
export async function assemble(given: VaultOptions, parts: VaultParts, sockets: Sockets): Promise<Assembled> {
  checkOptions(given)
  const storage = await openStorage(given, parts)
  // From here on nobody has the key but the keyring.
  const { masterKey: _, ...options } = given
  const { records, engine, clock, random, log, turns, observer, metrics, location } = storage
  let opened: FormulaSandbox | undefined
  try {
    const { dev = false, headerPrefix = contractHeaderPrefix, dialect } = options
    const headerNames = headerNamesOf(headerPrefix)
    const validators = new Validators(headerPrefix)
    const isOwn = ownAddresses(sockets.ports)
    const admissions = createAdmissions(parts.admissionBounds)
    const places = new RequestPlaces(placeLimits)

    const audit = new AuditRecorder({ records, random: storage.randomOf('audit'), log, clock })
    const auditLog = new AuditLog({ records, audit, clock })
    const sessions = new Sessions({ records, random, clock })
    const applications = new Applications({
      records,
      random,
      clock,
      dialect,
      endSessionsOf: (store, application, actor) => sessions.endOf(store, application, actor),
    })
    const tenants = new Tenants({ records, random, clock, applications })
    const channels = new TokenChannels()
    const tokens = new Tokens({
      records,
      random,
      clock,
      audit,
      dialect,
      turns,
      channels,
      schemas: validators,
      expressions: createExpressions({ random: length => random.bytes(length), nowMs: clock.nowMs }),
    })
    const development = dev
      ? new (await import('./development.ts')).Development({
          ...{ options, records, clock, random, log, audit, headerPrefix, headerNames, validators },
          testRecords: storage.testRecords,
          ...{ dialect, applications, sessions, channels },
        })
      : undefined
    const around = development ?? nothing

    const sandbox = await openSandbox({ options, parts, admissions, headerPrefix, isOwn, log })
    opened = sandbox
    const callbacks = { allowPrivate: options.allowPrivateCallbacks ?? false }
    const webhooks = new Webhooks({
      records,
      random: storage.randomOf('webhooks'),
      clock,
      log,
      observer,
      tokens,
      isShared: location.isShared,
      callbacks,
      send: observeDelivery(around.sender(createCallbackSender({ ...callbacks, isOwn })), observer),
      traceHeader: headerNames.trace,
    })
    const performer: Performer = { perform: (job, receipt) => reactors.perform(job, receipt) }
    const formulas = new Formulas({ records, random, clock })
    const reactors: Reactors = new Reactors({
      records,
      random,
      clock,
      formulas,
      tokens,
      audit,
      changes: new Places('changes of reactors', reactorChangeLimits),
      sandbox: around.sandbox(observeSandbox(parts.sandbox ?? sandbox, observer)),
      places,
      turns,
      warmSandbox: tenant => {
        // A failure shows again, to a caller, when a formula runs.
        if (!parts.sandbox) sandbox.warm(tenant).catch(() => {})
      },
      jobs: parts.jobs?.(performer, { records, tokens, clock }) ?? webhooks,
      service: delegation => serviceTransport(core, delegation, headerNames),
    })
    const isProxy =
      (options.proxyAllowOrigins?.length ?? 0) + Object.keys(options.proxyMapOrigins ?? {}).length > 0
    const requestProxy = isProxy
      ? (await import('./proxying.ts')).createProxy(
          { options, parts, admissions, headerPrefix, isOwn },
          { reactors, tokens, audit, places, turns },
        )
      : undefined

    const tenancy = await openTenancy({
      options,
      hasDevelopmentTenant: options.developmentTenant ?? (dev && location.engine !== 'memory'),
      rooms: { records, clock, validators, tenants, applications, tokens, formulas, reactors },
      testRecords: storage.testRecords,
      clock,
      webhooks,
      around,
    })
    await development?.opened(tenancy)

    const inFlight = new InFlight()
    let isDraining = false
    const health: Health = {
      unhealthy: () => records.unhealthy(),
      formulas: () => sandbox.isolation(),
      draining: () => isDraining,
    }
    const core: Core = await createHttp({
      ...{ options, headerPrefix, headerNames, validators, storage, audit },
      rooms: {
        ...{ tokens, sessions, applications, tenants, auditLog, formulas, reactors, webhooks },
      },
      ...{ requestProxy, health, inFlight, around, places },
    })

    clock.keepRegularly()
    webhooks.start(parts.performer ?? performer)
    const sweeper = new Sweeper({
      ...{ records, tokens, sessions, random, clock, log },
      holder: random.uuid(),
      auditRetentionDays: options.auditRetentionDays ?? defaultAuditRetentionDays,
      yield: nextTurn,
    })
    sweeper.start()
    const { folder } = location
    metrics?.show({
      storeWorks: () => records.unhealthy() === undefined,
      disk: folder === undefined ? undefined : () => diskOf(folder),
      connections: sockets.connections,
      admissions: () => [...Object.entries(admissions), ...sandbox.admitted(), ...webhooks.admitted()],
      formulasWaiting: () => sandbox.waiting(),
      processes: () => sandbox.counts(),
      jobs: () => webhooks.counts(),
    })
    const { facts, listening, cancelWarming } = startFacts(options, storage, sandbox, tenancy)
    const { createTenant, onlyTenant, advance, reload, reset } = tenancy
    const { closeGraceMs = connectionLimits.closeGraceMs } = parts
    return {
      ...{ core, admissions, clock, createTenant, onlyTenant, advance, reload, reset, facts, listening },
      close: async () => {
        cancelWarming()
        sweeper.stop()
        requestProxy?.close()
        await webhooks.close()
        await parts.sandbox?.close()
        await sandbox.close()
        await clock.stop()
        // A restart goes on from this time, whatever the machine's clock shows then.
        if (engine.unhealthy() === undefined) await clock.keep().catch(() => {})
        // Requests whose callers hung up may still add to the audit log.
        await inFlight.idle(closeGraceMs)
        metrics?.close()
        await audit.close()
        log.close()
        await engine.close()
        clock.tenants.close()
      },
      finished: () => inFlight.idle(closeGraceMs),
      endWaits: () => around.close(),
      listenForOperators: async address => {
        if (!metrics) throw new VaultOptionsError('metrics must be true, as this vault is to show them')
        return openOperatorPort({ health, metrics, log, random }, address)
      },
      drain: () => {
        isDraining = true
      },
    }
  } catch (error) {
    metrics?.close()
    log.close()
    await opened?.close()
    await engine.close()
    throw error
  }
}

/** The real time from the opening of a port to the start of processes for formulas, unless a formula needs one earlier. */
const warmAfterMs = 100

function startFacts(
  options: VaultOptions,
  { keyFile, log }: Storage,
  sandbox: FormulaSandbox,
  { development }: Tenancy,
) {
  let listening = () => {}
  let warming: NodeJS.Timeout | undefined
  // Starting these processes takes this one 15 ms: its own start and its first answers come before.
  const isolation = new Promise<Isolation | 'none'>(resolve => {
    listening = () => {
      // Once, however many ports are opened. A process that would end need not wait for it.
      warming ??= setTimeout(() => resolve(warmFormulas(sandbox, log)), warmAfterMs).unref()
    }
  })
  const facts: VaultFacts = {
    ...(development ? { development } : {}),
    ...(options.warmFormulas ? { isolation } : {}),
    ...(keyFile && { masterKeyFile: keyFile.file }),
    ...(keyFile?.made ? { madeMasterKey: keyFile.file } : {}),
  }
  return {
    facts,
    listening: options.warmFormulas ? listening : () => {},
    cancelWarming: () => clearTimeout(warming),
  }
}
