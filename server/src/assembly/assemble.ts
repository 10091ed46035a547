import { Applications } from '../access/applications.ts'
import { AuditLog } from '../access/audit-log.ts'
import { Tenants } from '../access/tenants.ts'
import { AuditRecorder } from '../audit/recorder.ts'
import { Channel } from '../base/channel.ts'
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
import { Validators } from '../contract/validators.ts'
import type { AnswerFunctions } from '../dev/egress/functions.ts'
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
import type { ListenAddress, Listening } from '../http/transport/listener.ts'
import { serviceTransport } from '../http/transport/service-transport.ts'
import { VaultOptionsError } from '../options/errors.ts'
import { checkOptions } from '../options/table.ts'
import { defaultAuditRetentionDays, type VaultOptions } from '../options/vault-options.ts'
import type { UndeclaredArguments } from '../reactors/reactor-parts.ts'
import { Reactors } from '../reactors/reactors.ts'
import { Sweeper } from '../retention/sweeper.ts'
import { observeSandbox } from '../sandbox/sandbox.ts'
import { Sessions } from '../sessions/sessions.ts'
import { diskOf, type StorageLocation } from '../storage/open.ts'
import { TokenChannels } from '../tokens/token-parts.ts'
import { Tokens } from '../tokens/tokens.ts'
import type { Performer } from '../webhooks/webhook-parts.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { type Around, nothing } from './around.ts'
import { Closers } from './closers.ts'
import type { DurableClock } from './durable-clock.ts'
import type { VaultFacts } from './facts.ts'
import { openSandbox } from './formulas.ts'
import { createHttp } from './http.ts'
import { openStorage, type Storage } from './storage.ts'
import { openTenancy, type Tenancy } from './tenancy.ts'
import type { VaultParts } from './vault-parts.ts'
import { warmLater } from './warming.ts'

interface Assembled {
  readonly tenancy: Tenancy
  readonly clock: DurableClock
  readonly admissions: Admissions
  readonly core: Core
  /** Resolves when what it was given for formulas can be loaded. @throws {FormulaModuleRefused} */
  readonly checked: Promise<void>
  /** To be called for each new connection. */
  connected(): void
  /** Opens a port for metrics and health. @throws {VaultOptionsError} if metrics are not kept */
  listenForOperators(address: ListenAddress): Promise<Listening>
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

/** What a vault has around it. */
interface Surroundings {
  readonly parts: VaultParts
  readonly sockets: Sockets
  /** Those of tests in this process. */
  readonly functions: AnswerFunctions
  readonly closers: Closers
}

/** Constructs a vault. What it has opened is closed again if it cannot start. */
export async function assemble(
  given: VaultOptions,
  parts: VaultParts,
  sockets: Sockets,
  functions: AnswerFunctions,
): Promise<Assembled> {
  checkOptions(given)
  const closers = new Closers()
  try {
    const storage = await openStorage(given, parts, closers)
    // From here on nobody has the key but the keyring.
    const { masterKey: _, ...options } = given
    return await build(storage, options, { parts, sockets, functions, closers })
  } catch (error) {
    await closers.close()
    throw error
  }
}

/**
 * All that a server is made of, in order: each room with what it needs, then what serves requests, then what runs by itself.
 * README draws this page.
 */
async function build(
  storage: Storage,
  options: Omit<VaultOptions, 'masterKey'>,
  { parts, sockets, functions, closers }: Surroundings,
): Promise<Assembled> {
  const { records, testRecords, clock, random, randomOf, log, turns, observer, metrics, location } = storage
  const { dev = false, headerPrefix = contractHeaderPrefix, dialect } = options
  const headerNames = headerNamesOf(headerPrefix)
  const validators = new Validators(headerPrefix)
  const isOwn = ownAddresses(sockets.ports)
  const admissions = createAdmissions(parts.admissionBounds)
  const places = new RequestPlaces(placeLimits)

  const audit = new AuditRecorder({ records, random: randomOf('audit'), log, clock })
  closers.add(() => audit.close())
  const inFlight = new InFlight()
  // Requests whose callers hung up may still add to the audit log.
  const finished = () => inFlight.idle(parts.closeGraceMs ?? connectionLimits.closeGraceMs)
  closers.add(finished)

  // Who may do what.
  const sessions = new Sessions({ records, random, clock })
  const applications = new Applications({ records, random, clock, dialect, sessions })
  const tenants = new Tenants({ records, random, clock, applications })
  const auditLog = new AuditLog({ records, audit, clock })

  // Data.
  const expressions = createExpressions({ random: length => random.bytes(length), nowMs: clock.nowMs })
  const channels = new TokenChannels()
  const undeclared = new Channel<UndeclaredArguments>()
  const tokens = new Tokens({
    ...{ records, random, clock, audit, dialect, turns, channels, expressions, validators },
  })

  const around: Around = dev
    ? new (await import('./development.ts')).Development({
        ...{
          options,
          records,
          testRecords,
          clock,
          random,
          log,
          audit,
          headerPrefix,
          headerNames,
          validators,
        },
        ...{ dialect, applications, sessions, channels, undeclared, functions },
      })
    : nothing

  // Code of tenants, and what it is asked to do later.
  const { sandbox: processes, checked } = await openSandbox({
    ...{ options, parts, admissions, headerPrefix, isOwn, log, closers },
    outgoing: around.outgoing('formula'),
  })
  const sandbox = around.sandbox(observeSandbox(parts.sandbox ?? processes, observer))
  closers.add(() => parts.sandbox?.close())
  const callbacks = { allowPrivate: options.allowPrivateCallbacks ?? false }
  const send = observeDelivery(
    createCallbackSender({ ...callbacks, isOwn, ...around.outgoing('delivery') }),
    observer,
  )
  const webhooks = new Webhooks({
    ...{ records, random: randomOf('webhooks'), clock, log, observer, tokens, callbacks, send },
    isShared: location.isShared,
    traceHeader: headerNames.trace,
  })
  closers.add(() => webhooks.close())
  const formulas = new Formulas({ records, random, clock })
  const performer: Performer = { perform: (job, receipt) => reactors.perform(job, receipt) }
  const reactors: Reactors = new Reactors({
    ...{ records, random, clock, formulas, tokens, audit, sandbox, places, turns },
    changes: new Places('changes of reactors', reactorChangeLimits),
    // A failure shows again, to a caller, when a formula runs.
    warmSandbox: tenant => void (parts.sandbox ? undefined : processes.warm(tenant).catch(() => {})),
    jobs: parts.jobs?.(performer, { records, tokens, clock }) ?? webhooks,
    service: delegation => serviceTransport(core, delegation, headerNames),
    ...{ strict: options.strict ?? false, undeclared },
  })
  const outgoing = around.outgoing('proxy')
  const requestProxy =
    hasTargets(options) || outgoing.alsoAllows
      ? (await import('./proxying.ts')).createProxy(
          { options, parts, admissions, headerPrefix, isOwn, closers, outgoing },
          { reactors, tokens, audit, places, turns },
        )
      : undefined

  const tenancy = await openTenancy({
    ...{ options, testRecords, clock, webhooks, around, validators },
    rooms: { records, clock, tenants, applications, tokens, formulas, reactors },
    hasDevelopmentTenant: options.developmentTenant ?? (dev && location.engine !== 'memory'),
  })
  await around.opened(tenancy)

  // What serves requests.
  let [isDraining, isStarting] = [false, true]
  checked.then(
    () => {
      isStarting = false
    },
    () => {},
  )
  const health: Health = {
    unhealthy: () => records.unhealthy(),
    formulas: () => processes.isolation(),
    draining: () => isDraining,
    starting: () => isStarting,
  }
  const rooms = { tokens, sessions, applications, tenants, auditLog, formulas, reactors, webhooks }
  const core: Core = await createHttp({
    ...{ options, headerPrefix, headerNames, validators, storage, audit },
    ...{ rooms, requestProxy, health, inFlight, around, places },
  })

  // What runs by itself.
  clock.keepRegularly()
  webhooks.start(parts.performer ?? performer)
  const sweeper = new Sweeper({
    ...{ records, tokens, sessions, random, clock, log },
    holder: random.uuid(),
    auditRetentionDays: options.auditRetentionDays ?? defaultAuditRetentionDays,
    yield: nextTurn,
  })
  sweeper.start()
  closers.add(() => sweeper.stop())
  metrics?.show({
    storeWorks: () => records.unhealthy() === undefined,
    disk: diskReading(location),
    connections: sockets.connections,
    admissions: () => [...Object.entries(admissions), ...processes.admitted(), ...webhooks.admitted()],
    formulasWaiting: () => processes.waiting(),
    processes: () => processes.counts(),
    jobs: () => webhooks.counts(),
  })
  const warming = options.warmFormulas ? warmLater(processes, log, closers) : undefined

  const connected = () => storage.turns.connected()
  return {
    ...{ core, admissions, clock, tenancy, finished, connected, checked },
    facts: factsOf(storage, tenancy, warming),
    listening: () => warming?.listening(),
    listenForOperators: async address => {
      if (!metrics) throw new VaultOptionsError('metrics must be true, as this vault is to show them')
      return openOperatorPort({ health, metrics, log, random, connected }, address)
    },
    drain: () => {
      isDraining = true
    },
    endWaits: () => around.close(),
    close: () => closers.close(),
  }
}

const hasTargets = ({ proxyAllowOrigins = [], proxyMapOrigins = {} }: VaultOptions) =>
  proxyAllowOrigins.length + Object.keys(proxyMapOrigins).length > 0

const diskReading = ({ folder }: StorageLocation) => (folder === undefined ? undefined : () => diskOf(folder))

function factsOf(
  { keyFile }: Storage,
  { development }: Tenancy,
  warming: Pick<VaultFacts, 'isolation'> | undefined,
): VaultFacts {
  return {
    ...(development ? { development } : {}),
    ...(warming ? { isolation: warming.isolation } : {}),
    ...(keyFile && { masterKeyFile: keyFile.file }),
    ...(keyFile?.made ? { madeMasterKey: keyFile.file } : {}),
  }
}
