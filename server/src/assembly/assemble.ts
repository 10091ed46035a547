import { nextTurn } from '../base/flow/event-loop.ts'
import { connectionLimits } from '../base/limits.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { type Core, UnderWay } from '../http/pipeline/core.ts'
import type { Address, Listening } from '../http/transport/listener.ts'
import { checkOptions } from '../option-table.ts'
import { startSweeper } from '../retention/sweeper.ts'
import type { Isolation } from '../sandbox/processes/isolation.ts'
import { diskOf } from '../storage/open.ts'
import { defaultAuditRetentionDays, type VaultFacts, type VaultOptions } from '../vault-options.ts'
import { type Deployment, deploy } from './deployment.ts'
import { createDomain, type Domain } from './domain.ts'
import { warmFormulas } from './formulas.ts'
import { createHttp, healthOf, listenForOperators } from './http.ts'
import { openStores, type VaultParts } from './stores.ts'

interface Assembled
  extends Pick<
    Deployment,
    'admissions' | 'clock' | 'createTenant' | 'onlyTenant' | 'advance' | 'reload' | 'reset'
  > {
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

/**
 * Puts a vault together in four steps: stores → domain → http → workers. Each extends the context of the one before:
 * a new feature adds a member to a context, and later steps find it there.
 */
export async function assemble(
  options: VaultOptions,
  parts: VaultParts,
  sockets: Sockets,
): Promise<Assembled> {
  checkOptions(options)
  const stores = await openStores(options, parts, sockets.ports)
  let domain: Domain | undefined
  try {
    domain = await createDomain(stores, () => core)
    const deployment = await deploy(domain)
    const requests = new UnderWay()
    let isDraining = false
    const health = healthOf(deployment, () => isDraining)
    const core: Core = await createHttp(deployment, health, requests)
    const close = startWorkers(deployment, requests)
    const { admissions, tools, clock, createTenant, onlyTenant, advance, reload, reset } = deployment
    showState(deployment, sockets.connections)
    const { facts, listening, cancelWarming } = startFacts(deployment)
    return {
      ...{ core, admissions, clock, createTenant, onlyTenant, advance, reload, reset, facts, listening },
      close: () => {
        cancelWarming()
        return close()
      },
      finished: () => requests.idle(closeGraceOf(parts)),
      endWaits: () => tools?.close(),
      listenForOperators: address => listenForOperators(deployment, health, address),
      drain: () => {
        isDraining = true
      },
    }
  } catch (error) {
    stores.metrics?.close()
    stores.log.close()
    await domain?.sandbox.close()
    await stores.engine.close()
    throw error
  }
}

const closeGraceOf = ({ closeGraceMs = connectionLimits.closeGraceMs }: VaultParts) => closeGraceMs

/** Lets metrics show the state of what has been put together. */
function showState(
  { metrics, admissions, store, location: { folder }, sandbox, webhooks }: Deployment,
  connections: () => number,
): void {
  metrics?.show({
    storeWorks: () => store.unhealthy() === undefined,
    disk: folder === undefined ? undefined : () => diskOf(folder),
    connections,
    admissions: () => [...Object.entries(admissions), ...sandbox.admitted(), ...webhooks.admitted()],
    formulasWaiting: () => sandbox.waiting(),
    processes: () => sandbox.counts(),
    jobs: () => webhooks.counts(),
  })
}

/** The real time from the opening of a port to the start of processes for formulas, unless a formula needs one earlier. */
const warmAfterMs = 100

function startFacts({ options, development, masterKey, sandbox, log }: Deployment) {
  const { file, made } = masterKey
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
    ...(file === undefined ? {} : { masterKeyFile: file }),
    ...(file !== undefined && made ? { madeMasterKey: file } : {}),
  }
  return {
    facts,
    listening: options.warmFormulas ? listening : () => {},
    cancelWarming: () => clearTimeout(warming),
  }
}

/** Starts everything that runs by itself. Returns a function that stops it, in order, and closes the store. */
function startWorkers(deployment: Deployment, requests: UnderWay): () => Promise<void> {
  const { options, parts, clock, webhooks, performer, audit, sandbox, engine, random, metrics } = deployment
  const { requestProxy, log } = deployment
  clock.keepRegularly()
  webhooks.start(parts.performer ?? performer)
  const stopSweeping = startSweeper({
    ...deployment,
    sessions: deployment,
    holder: random.uuid(),
    auditRetentionDays: options.auditRetentionDays ?? defaultAuditRetentionDays,
    yield: nextTurn,
  })
  return async () => {
    stopSweeping()
    requestProxy?.close()
    await webhooks.close()
    await parts.sandbox?.close()
    await sandbox.close()
    await clock.stop()
    // A restart goes on from this time, whatever the machine's clock shows then.
    if (engine.unhealthy() === undefined) await clock.keep().catch(() => {})
    // Requests whose callers hung up may still add to the audit log.
    await requests.idle(closeGraceOf(parts))
    metrics?.close()
    await audit.close()
    log.close()
    await engine.close()
    clock.tenants.close()
  }
}
