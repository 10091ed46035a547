import { LRUCache } from 'lru-cache'
import { Applications } from './access/applications.ts'
import { applyBootstrap, type Bootstrap, readBootstrap } from './access/bootstrap.ts'
import { developmentTenant } from './access/development-tenant.ts'
import { createTenant, type NewTenant, type TenantsContext } from './access/tenants.ts'
import { AuditRecorder } from './audit/recorder.ts'
import { type Clock, createClock } from './base/clock.ts'
import type { JsonValue } from './base/json.ts'
import { describeError, type Log, silentLog } from './base/log.ts'
import { type Random, systemRandom } from './base/random.ts'
import { keyLength } from './crypto/envelope.ts'
import { Keyring } from './crypto/keyring.ts'
import { developmentMasterKey } from './crypto/master-key.ts'
import { createExpressions } from './expressions/engine.ts'
import { answerBeside, type Besides } from './http/beside.ts'
import { type Core, createCore } from './http/core.ts'
import { Cors } from './http/cors.ts'
import { Docs } from './http/docs.ts'
import { toFetch } from './http/fetch-adapter.ts'
import { applicationHandlers, applicationReplays } from './http/handlers/applications.ts'
import type { Handlers } from './http/handlers/handler.ts'
import { logHandlers } from './http/handlers/logs.ts'
import { tokenizationHandlers, tokenizationReplays } from './http/handlers/tokenization.ts'
import { tokenHandlers, tokenReplays } from './http/handlers/tokens.ts'
import { type Listening, listen } from './http/listener.ts'
import { Router } from './http/routes.ts'
import { Validators } from './http/validators.ts'
import { startSweeper } from './retention/sweeper.ts'
import { openStore, parseStorage, type StorageLocation } from './storage/open.ts'
import type { Store } from './storage/port.ts'
import { type OnBroken, SealedStore } from './storage/sealed.ts'
import { readExpiration } from './tokens/expiry.ts'

export interface VaultOptions {
  /** `memory:` (the default), or `level:<folder>`. */
  readonly storage?: string
  /** 32 bytes that wrap every tenant's keys. `memory:` makes its own; `level:` needs it unless `dev` is set. */
  readonly masterKey?: Uint8Array
  /** The content of a bootstrap file, parsed. */
  readonly bootstrap?: JsonValue
  /** The short name in `SVC-API-KEY` and the other header names. */
  readonly headerPrefix?: string
  /** Development endpoints, reasons in 403s, and every response held against the contract. */
  readonly dev?: boolean
  /** Origins that browsers may call from; `*` is any. By default any under `dev`, none otherwise. */
  readonly corsOrigins?: readonly string[]
  readonly log?: Log
  /** The time this vault starts from, in epoch milliseconds; by default the real time. */
  readonly now?: () => number
}

export interface VaultClock {
  /** Epoch milliseconds. */
  now(): Promise<number>
  /** Moves time forward, and resolves when all that fell due is done. */
  advance(ms: number): Promise<void>
}

/** A whole server in this process. */
export interface Vault {
  /** Answers a request without a socket; pass it as `fetch` to the SDK. The host of the URL does not matter. */
  readonly fetch: (request: Request | string | URL, init?: RequestInit) => Promise<Response>
  /** Opens a port; 0 picks a free one. */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<Listening>
  /** Lets what is in flight finish, then lets go of ports and files. */
  close(): Promise<void>
  readonly clock: VaultClock
  /** Empties the store and puts the bootstrap back. */
  reset(): Promise<void>
  /** A fresh tenant with one key of each kind. */
  createTenant(options?: { readonly operator?: boolean }): Promise<NewTenant>
  /** Resolves when the store is open and the bootstrap in place; rejects when that fails. */
  ready(): Promise<VaultFacts>
}

/** What a start has to tell the operator. */
export interface VaultFacts {
  /** Under `dev`: the tenant whose keys are kept across restarts. */
  readonly development?: NewTenant
  /** The file in which a development master key was made just now. */
  readonly madeMasterKey?: string
}

/** What a vault is made of, for whoever brings a store of their own or needs one that fails. */
export interface VaultParts {
  readonly openStore?: (location: StorageLocation) => Promise<Store>
  readonly random?: Random
}

/** A vault that cannot start as it was told to. */
export class VaultOptionsError extends Error {
  override readonly name = 'VaultOptionsError'
}

/**
 * A tokenization server in this process: with `fetch` for tests, with `listen` for the network.
 *
 * @example
 * const vault = createVault({ storage: 'memory:' })
 * const { privateKey } = await vault.createTenant()
 * const response = await vault.fetch('http://vault/tokens', {
 *   method: 'POST',
 *   headers: { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' },
 *   body: JSON.stringify({ type: 'card', data: { number: '4242424242424242' } }),
 * })
 * response.status // 201
 * await vault.close()
 */
export function createVault(options: VaultOptions = {}, parts: VaultParts = {}): Vault {
  const opening = open(options, parts)
  // Whoever uses the vault gets the failure; until then it must not count as unhandled.
  opening.catch(() => {})
  const listeners = new Set<Listening>()
  let closing: Promise<void> | undefined

  return {
    fetch: async (input, init) => {
      const { core } = await opening
      return toFetch(core)(input instanceof Request && !init ? input : new Request(input, init))
    },
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const { core } = await opening
      const listening = await listen(core, host, port)
      listeners.add(listening)
      return listening
    },
    close: () => {
      closing ??= (async () => {
        await Promise.all([...listeners].map(listening => listening.close()))
        const opened = await opening.catch(() => undefined)
        await opened?.close()
      })()
      return closing
    },
    clock: {
      now: async () => (await opening).clock.nowMs(),
      advance: async ms => (await opening).advance(ms),
    },
    reset: async () => (await opening).reset(),
    createTenant: async given => createTenant((await opening).tenants, given),
    ready: async () => (await opening).facts,
  }
}

interface Opened {
  readonly core: Core
  readonly clock: Clock
  readonly tenants: TenantsContext
  readonly facts: VaultFacts
  advance(ms: number): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}

async function open(options: VaultOptions, parts: VaultParts): Promise<Opened> {
  const random = parts.random ?? systemRandom()
  const location = parseStorage(options.storage ?? 'memory:')
  const [validators, store] = await Promise.all([
    Validators.load(options.headerPrefix ?? 'SVC'),
    (parts.openStore ?? openStore)(location),
  ])
  try {
    return await assemble(options, location, store, validators, random)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function assemble(
  options: VaultOptions,
  location: StorageLocation,
  store: Store,
  validators: Validators,
  random: Random,
): Promise<Opened> {
  const { dev = false, headerPrefix = 'SVC', log = silentLog } = options
  const master = await masterKey(options, location, random)
  const sealed = new SealedStore(store, new Keyring(store, master.key, random), random, tellOnce(log))
  const clock = await openClock(options, sealed, log)
  const nowUs = () => clock.nowUs()

  const applications = new Applications({
    store: sealed,
    random,
    nowUs,
    readExpiration: text => readExpiration(text, nowUs()),
  })
  const tenants: TenantsContext = { store: sealed, random, applications, nowUs }
  const audit = new AuditRecorder({ store: sealed, random, log, nowUs })
  const tokens = {
    audit,
    store: sealed,
    random,
    nowUs,
    schemas: validators,
    expressions: createExpressions({ random: length => random.bytes(length), nowMs: () => clock.nowMs() }),
  }

  const bootstrap: Bootstrap | undefined =
    options.bootstrap === undefined ? undefined : readBootstrap(options.bootstrap, validators)
  if (bootstrap) await applyBootstrap(tenants, bootstrap)
  const development = dev && location.engine !== 'memory' ? await developmentTenant(tenants) : undefined

  const reset = async () => {
    await sealed.clear()
    if (bootstrap) await applyBootstrap(tenants, bootstrap)
    if (development) await developmentTenant(tenants, development)
    await keepOffset(sealed, clock)
  }
  const advance = async (ms: number) => {
    await clock.advance(ms)
    await keepOffset(sealed, clock)
  }
  const besides: Besides = {
    dev,
    unhealthy: () => store.unhealthy(),
    docs: path => docs.answer(path),
    advanceClock: async ms => {
      await advance(ms)
      return { now: new Date(clock.nowMs()).toISOString() }
    },
    reset,
    createTenant: async operator => tenantOnTheWire(await createTenant(tenants, { operator })),
  }
  const docs = new Docs(validators.contract.document)
  const handlers: Handlers = {
    ...tokenHandlers(tokens),
    ...tokenizationHandlers(tokens),
    ...applicationHandlers(applications),
    ...logHandlers({ store: sealed, audit, nowUs }),
  }
  const core = createCore({
    services: {
      router: new Router(validators.contract.operations),
      validators,
      handlers,
      replays: {
        ...tokenReplays(tokens),
        ...tokenizationReplays(tokens),
        ...applicationReplays(applications),
      },
      inFlight: new Set(),
      audit,
      random,
      store: sealed,
      clock,
      keyHeader: `${headerPrefix}-api-key`.toLowerCase(),
      idempotencyHeader: `${headerPrefix}-idempotency-key`.toLowerCase(),
    },
    cors: new Cors(options.corsOrigins ?? (dev ? ['*'] : []), headerPrefix),
    log,
    random,
    traceHeader: `${headerPrefix}-TRACE-ID`,
    beside: request => answerBeside(besides, request),
    dev,
  })
  const stopSweeping = startSweeper({
    store: sealed,
    tokens,
    nowUs,
    clock,
    log,
    holder: random.uuid(),
    yield: () => new Promise(resolve => setImmediate(resolve)),
  })
  return {
    core,
    clock,
    tenants,
    facts: {
      ...(development ? { development } : {}),
      ...(master.madeFile === undefined ? {} : { madeMasterKey: master.madeFile }),
    },
    advance,
    reset,
    close: async () => {
      stopSweeping()
      await clock.stop()
      await audit.settled()
      await store.close()
    },
  }
}

async function masterKey(
  options: VaultOptions,
  location: StorageLocation,
  random: Random,
): Promise<{ readonly key: Uint8Array; readonly madeFile?: string }> {
  if (options.masterKey) return { key: options.masterKey }
  if (location.engine === 'memory') return { key: random.bytes(keyLength) }
  if (options.dev) {
    const { key, made, file } = await developmentMasterKey(location.folder, random)
    return made ? { key, madeFile: file } : { key }
  }
  throw new VaultOptionsError(
    'there is no master key: set SURROGATE_MASTER_KEY to 32 bytes in base64, or use --dev for a test server',
  )
}

/** A record that lists pass over is named once, not with each list: whoever may list could fill the log. */
function tellOnce(log: Log): OnBroken {
  const told = new LRUCache<string, true>({ max: 10_000 })
  return ({ kind, tenant, address, code }) => {
    if (told.has(code)) return
    told.set(code, true)
    log.error('a stored record does not open', { kind, tenant, address })
  }
}

/** Time that was moved forward stays moved: what had expired must not come back with a restart. */
async function openClock(options: VaultOptions, store: SealedStore, log: Log): Promise<Clock> {
  const realNowMs = options.now ?? Date.now
  const root = await store.root(realNowMs() * 1000)
  const kept = await root.get<{ id: string; offset_ms: number }>('setting', 'clock')
  return createClock({
    realNowMs,
    offsetMs: kept?.value.offset_ms ?? 0,
    onError: error => log.error('timer failed', describeError(error)),
  })
}

async function keepOffset(store: SealedStore, clock: Clock): Promise<void> {
  const root = await store.root(clock.nowUs())
  const value = { id: 'clock', offset_ms: clock.offsetMs() }
  for (;;) {
    const current = await root.get('setting', 'clock')
    const write = current ? root.replace('setting', current.version, value) : root.insert('setting', value)
    if ((await root.commit([write], clock.nowUs())).ok) return
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
