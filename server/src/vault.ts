import type { NewTenant } from './access/tenant-settings.ts'
import { assemble } from './assembly/assemble.ts'
import type { VaultFacts } from './assembly/facts.ts'
import type { VaultParts } from './assembly/vault-parts.ts'
import type { JsonValue } from './base/json/json.ts'
import { OperatorError } from './base/operator-error.ts'
import type { AnswerFunctions } from './dev/egress/functions.ts'
import { Dev, milliseconds } from './generated/dev-client/index.ts'
import { headerPrefix } from './generated/facts.ts'
import { requestOf, toFetch } from './http/transport/fetch-adapter.ts'
import { type ListenAddress, type Listening, listen } from './http/transport/listener.ts'
import { withProfile } from './options/profile.ts'
import { refuseUnknown, type VaultOptions } from './options/vault-options.ts'

export interface VaultClock {
  /** Resolves with the time in epoch milliseconds. */
  now(): Promise<number>
  /**
   * Moves time forward, by milliseconds or a duration such as `90s`, `15m`, `1h` or `2d`, and resolves when everything that
   * fell due is done.
   */
  advance(by: number | string): Promise<void>
}

/**
 * A whole server in this process. It starts at once, and each function waits until it has started. If it cannot
 * start, `ready`, `fetch`, `listen`, `reset`, `createTenant` and those of `clock` reject with the same error, an
 * `OperatorError` of one of these classes:
 *
 * - `VaultOptionsError`: an option is unknown or ill-typed, or there is no master key
 * - `UnknownStorage`: `storage` is not `memory:`, `level:<folder>` or `postgres://…`
 * - `DataFolderRefused`: the data folder is in use, damaged, or of a newer version
 * - `DatabaseRefused`: the database has another schema than this version needs, or its URL is not valid
 * - `StoreUnavailable`: the database or the disk cannot be reached now; try again later
 * - `WrongMasterKey`, `UnreadableMasterKey`: the key does not open this store, or its file holds no key
 * - `UnfinishedCopy`: a copy was interrupted and has to be run again
 * - `BootstrapError`: `bootstrap` is not valid; the message begins with the path of the member
 * - `FormulaModuleRefused`: one of `formulaModules`, or `formulaClient`, cannot be provided to formulas
 * - `ProfileError`: the file of `profile` cannot be read, or has a member that is unknown or not valid
 * - `CodeGenerationForbidden`: Node runs with `--disallow-code-generation-from-strings`
 * - `IsolationMissing`: `requireIsolation` is set and this host lacks a layer
 *
 * After `close()` they reject with `VaultClosed`.
 */
export interface Vault {
  /** Serves a request without a socket; pass it as `fetch` to the SDK. The host of the URL is ignored. */
  readonly fetch: (request: Request | string | URL, init?: RequestInit) => Promise<Response>
  /**
   * Opens a port; 0, the default, picks a free one. With `unref` it does not keep the process running. Rejects with a
   * system error of Node, such as `EADDRINUSE`, if the port cannot be opened.
   */
  listen(options?: Partial<ListenAddress>): Promise<Listening>
  /**
   * Opens a port with `/metrics` and the health endpoints, for operators only: it asks for no key. The option `metrics`
   * must be set. The port stays open until all else is closed.
   */
  listenForMetrics(options?: Partial<ListenAddress>): Promise<Listening>
  /**
   * Makes `/readyz` a 503, so that load balancers send no more requests. Those that come are still served, and their
   * connections end after them.
   */
  drain(): void
  /** Drains, finishes the requests in flight, then releases ports and files. */
  close(): Promise<void>
  readonly clock: VaultClock
  /**
   * What a development server does for tests (`dev: true`), about the only tenant that this vault has made; for one of
   * several use `dev.forTenant(tenant)`.
   */
  readonly dev: Dev
  /** Resolves when no request, job, delivery, sweep or formula is running or due. Needs `dev: true`. */
  settled(): Promise<void>
  /** Empties the store and applies the bootstrap again. */
  reset(): Promise<void>
  /**
   * Applies a bootstrap file as at the start. What it does not name stays as it is, and one that is not valid changes
   * nothing: rejects with a `BootstrapError`.
   */
  reload(bootstrap: JsonValue): Promise<void>
  /** Makes a tenant with one key of each kind. */
  createTenant(options?: { readonly operator?: boolean }): Promise<NewTenant>
  /** Resolves when the store is open and the bootstrap applied. */
  ready(): Promise<VaultFacts>
}

/**
 * Creates a tokenization server in this process: use `fetch` in tests, `listen` for the network.
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
export function createVault(options: VaultOptions = {}): Vault {
  return createVaultWith({}, options)
}

/** Like `createVault`, with some of its parts replaced. @internal */
export function createVaultWith(parts: VaultParts, given: VaultOptions = {}): Vault {
  const { options, refusal } = profiled(given)
  // Not all of them: what holds the vault must not hold the master key.
  const { headerPrefix: prefix = headerPrefix, devToken, trustedProxies = [] } = options ?? {}
  const listeners = new Set<Listening>()
  const forMetrics = new Set<Listening>()
  const sockets = {
    connections: () => [...listeners].reduce((sum, listening) => sum + listening.connections(), 0),
    ports: () => [...listeners, ...forMetrics].map(({ port }) => port),
  }
  const functions: AnswerFunctions = new Map()
  let kept = 0
  const opening = refusal ? Promise.reject(refusal) : assemble(options, parts, sockets, functions)
  // Callers of the vault get the failure; until there is one it must not count as unhandled.
  opening.catch(() => {})
  let closing: Promise<void> | undefined
  const open = async () => {
    if (closing) throw new VaultClosed('the vault is closed; create another one after close()')
    return opening
  }

  const dev = new Dev({
    baseUrl: 'http://vault',
    headerPrefix: prefix,
    token: devToken,
    filesIn: async function* (folder) {
      yield* (await import('./dev/leaks/files.ts')).filesIn(folder)
    },
    keepFunction: respond => {
      const name = `function ${++kept}`
      functions.set(name, respond)
      return name
    },
    fetch: async (url, init) => {
      const { core, tenancy } = await open()
      const key = `${prefix}-API-KEY`
      const given = init.headers as Record<string, string>
      const isKeyed = Object.keys(given).some(name => name.toLowerCase() === key.toLowerCase())
      const only = isKeyed ? undefined : tenancy.onlyTenant()
      const headers = only ? { ...given, [key]: only.managementKey } : given
      return toFetch(core)(new Request(url, { ...init, headers }))
    },
  })

  return {
    fetch: async (input, init) => {
      const { core } = await open()
      const request = await requestOf(input, init)
      return unlessAborted(request.signal, toFetch(core)(request))
    },
    listen: async (address = {}) => {
      const { host = '127.0.0.1', port = 0, unref = false } = checked(address)
      const { core, connected, listening: opened } = await open()
      const clientAddress =
        trustedProxies.length === 0
          ? undefined
          : (await import('./http/transport/client-address.ts')).clientAddressBehind(trustedProxies)
      const listening = await listen(core, { host, port, unref }, { clientAddress, connected })
      listeners.add(listening)
      opened()
      return listening
    },
    listenForMetrics: async (address = {}) => {
      const { host = '127.0.0.1', port = 0, unref = false } = checked(address)
      const { listenForOperators } = await open()
      const listening = await listenForOperators({ host, port, unref })
      forMetrics.add(listening)
      return listening
    },
    drain: () => {
      for (const listening of listeners) listening.drain()
      opening.then(({ drain }) => drain()).catch(() => {})
    },
    close: () => {
      closing ??= (async () => {
        await opening
          .then(({ drain, endWaits }) => {
            drain()
            endWaits()
          })
          .catch(() => {})
        const opened = await opening.catch(() => undefined)
        await Promise.all([opened?.finished(), ...[...listeners].map(listening => listening.close())])
        await opened?.close()
        await Promise.all([...forMetrics].map(listening => listening.close()))
      })()
      return closing
    },
    clock: {
      now: async () => (await open()).clock.nowMs(),
      advance: async by => (await open()).tenancy.advance(milliseconds(by)),
    },
    dev,
    settled: async () => {
      await dev.settled()
    },
    reset: async () => (await open()).tenancy.reset(),
    reload: async bootstrap => (await open()).tenancy.reload(bootstrap),
    createTenant: async (given = {}) => {
      const { tenancy } = await open()
      refuseUnknown(given, ['operator'])
      return tenancy.createTenant(given)
    },
    ready: async () => {
      const { checked, facts } = await open()
      await checked
      return facts
    },
  }
}

/** Thrown by a vault that is used after its `close()`. */
export class VaultClosed extends OperatorError {
  override readonly name = 'VaultClosed'
}

/** Returns the options with those of the profile; or why it cannot be used, which the vault says when it is used. */
function profiled(given: VaultOptions): { readonly options: VaultOptions; readonly refusal?: unknown } {
  // Wrong options are refused with the others.
  if (typeof given?.profile !== 'string') return { options: given }
  try {
    return { options: withProfile(given) }
  } catch (refusal) {
    return { options: given, refusal }
  }
}

/** @throws {VaultOptionsError} */
function checked(address: Partial<ListenAddress>): Partial<ListenAddress> {
  refuseUnknown(address, ['host', 'port', 'unref'])
  return address
}

/** Rejects as soon as the caller gives up. The work goes on, as on a server. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
