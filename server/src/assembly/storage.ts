import { LRUCache } from 'lru-cache'
import { lruOptions } from '../base/cache.ts'
import { Turns } from '../base/flow/turns.ts'
import { type Log, silentLog } from '../base/log.ts'
import { joinObservers, type Observer } from '../base/observer.ts'
import { type Random, seededRandom, systemRandom } from '../base/random.ts'
import { TenantTime } from '../base/time/clock.ts'
import { machineMs, monotonicMs } from '../base/time/real-time.ts'
import { developmentMasterKey } from '../crypto/development-key.ts'
import { keyLength } from '../crypto/envelope.ts'
import { accessLog } from '../observe/access-log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { OutageLog } from '../observe/outage-log.ts'
import { createTracing } from '../observe/tracing.ts'
import { VaultOptionsError } from '../options/errors.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import { Keyring } from '../storage/keys/keyring.ts'
import { observeEngine } from '../storage/observe-engine.ts'
import { nameOfStore, openStore, parseStorage, type StorageLocation } from '../storage/open.ts'
import type { Engine } from '../storage/port/port.ts'
import { type OnBroken, Records } from '../storage/records/records.ts'
import { TestRecords } from '../storage/records/test-records.ts'
import { version } from '../version.ts'
import type { Closers } from './closers.ts'
import { type DurableClock, openDurableClock, type RealTime } from './durable-clock.ts'
import type { VaultParts } from './vault-parts.ts'

/** An open store, and what has to be there before anything can be kept in it. */
export interface Storage extends Observers {
  readonly location: StorageLocation
  readonly records: Records
  /** What tests do with all records. */
  readonly testRecords: TestRecords
  readonly clock: DurableClock
  readonly random: Random
  /** Returns a source for work that runs at times of its own: with a seed it must not disturb the order of `random`. */
  randomOf(work: string): Random
  readonly log: OutageLog
  /** Lets long work yield to other requests. */
  readonly turns: Turns
  /** Where the master key is, if it is in a file. */
  readonly keyFile: KeyFile | undefined
}

interface KeyFile {
  readonly file: string
  /** True if this start made the file. */
  readonly made: boolean
}

interface MasterKey {
  readonly key: Uint8Array
  /** The file that holds it, if it was not given. */
  readonly file?: string
  /** True if this start made the file. */
  readonly made?: boolean
}

/**
 * Opens the store, finds its master key, and starts the clock where it stopped. Nothing keeps the key but the keyring.
 * @throws {VaultOptionsError} and more, after it has closed what it opened
 */
export async function openStorage(
  options: VaultOptions,
  parts: VaultParts,
  closers: Closers,
): Promise<Storage> {
  const { dev = false, storage = 'memory:', seed, log: given = silentLog } = options
  const random = parts.random ?? (seed === undefined ? systemRandom() : seededRandom(`${seed}`))
  const randomOf = (work: string) => (seed === undefined ? random : seededRandom(`${seed} ${work}`))
  // Two boxes under one key must never have the same nonce, in no two runs either.
  const sealing = seed === undefined ? random : systemRandom()
  const location = parseStorage(storage)
  if (seed !== undefined && !(dev && location.engine === 'memory')) {
    throw new VaultOptionsError('seed needs dev: true and storage: memory:, as anyone could repeat its keys')
  }
  const tenantTime = new TenantTime()
  closers.add(() => tenantTime.close())
  const { observer, metrics } = await openObservers(options.metrics ?? false, given, location.engine)
  closers.add(() => metrics?.close())
  let healthy: Pick<Records, 'unhealthy'> | undefined
  const log = new OutageLog(given, {
    name: nameOfStore(location),
    unhealthy: () => healthy?.unhealthy(),
  })
  closers.add(() => log.close())
  const turns = new Turns(parts.monotonicMs)
  const opened = await (parts.openStore ?? openStore)(location, { migrate: dev, log, turns })
  const engine = observeEngine(opened, observer)
  closers.add(() => engine.close())
  const { key, file, made = false } = await findMasterKey(options, location, random)
  const keyring = new Keyring(engine, key, random)
  const records = new Records(engine, keyring, sealing, { onBroken: logOnce(log), turns, tenantTime })
  healthy = records
  const clock = await openDurableClock(realTime(options, engine), records, log, tenantTime)
  closers.add(async () => {
    await clock.stop()
    // A restart goes on from this time, whatever the machine's clock shows then.
    if (engine.unhealthy() === undefined) await clock.keep().catch(() => {})
  })
  return {
    ...{ observer, metrics, location, records, clock, random, randomOf, log, turns },
    testRecords: new TestRecords(records, opened),
    keyFile: file === undefined ? undefined : { file, made },
  }
}

/** @throws {VaultOptionsError | UnreadableMasterKey} */
async function findMasterKey(
  { masterKey, dev }: VaultOptions,
  location: StorageLocation,
  random: Random,
): Promise<MasterKey> {
  if (masterKey) return { key: masterKey }
  if (!location.isLasting) return { key: random.bytes(keyLength) }
  if (dev && location.folder !== undefined) return developmentMasterKey(location.folder, random)
  const others = ', the same for all servers on this database'
  const [inProcess, program] = location.isShared
    ? [others, others]
    : [', or set dev to true for a test server', ', or use --dev for a test server']
  throw new VaultOptionsError(
    `there is no master key: set masterKey to a Uint8Array of 32 bytes${inProcess}`,
    {
      program: `there is no master key: set SURROGATE_MASTER_KEY to 32 bytes in base64${program}`,
    },
  )
}

const seededTimeMs = Date.UTC(2030, 0, 1)

/** Returns the time of a test, or else that of the store, which is that of this machine or of the database. */
function realTime({ now, seed }: VaultOptions, engine: Engine): RealTime {
  if (now) return { nowMs: now }
  if (seed !== undefined) return { nowMs: () => seededTimeMs, machineMs }
  return { nowMs: () => engine.now(), monotonicMs }
}

/** Logs each broken record once, as each list that skips it finds it again. */
function logOnce(log: Log): OnBroken {
  const logged = new LRUCache<string, true>(lruOptions(10_000))
  return ({ kind, tenant, address, code }) => {
    if (logged.has(code)) return
    logged.set(code, true)
    log.error('a stored record does not open', { kind, tenant, address })
  }
}

interface Observers {
  /** Absent if nobody observes. */
  readonly observer: Observer | undefined
  /** Absent unless the option `metrics` is set. */
  readonly metrics: Metrics | undefined
}

/** Makes the observers that are wanted. @param engine names the engine of the store */
async function openObservers(keepsMetrics: boolean, log: Log, engine: string): Promise<Observers> {
  const metrics = keepsMetrics ? await loadMetrics({ version, engine }) : undefined
  const all = [accessLog(log), metrics, await createTracing(version)]
  return { metrics, observer: joinObservers(all.filter(one => one !== undefined)) }
}

/** Not loaded before it is wanted. */
async function loadMetrics(info: Readonly<Record<string, string>>): Promise<Metrics> {
  const { createMetrics } = await import('../observe/metrics.ts')
  return createMetrics(info)
}
