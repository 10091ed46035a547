import { createTenant, type NewTenant } from './access/tenants.ts'
import { assemble } from './assemble.ts'
import { toFetch } from './http/fetch-adapter.ts'
import { type Listening, listen } from './http/listener.ts'
import type { VaultFacts, VaultOptions, VaultParts } from './vault-options.ts'

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
  const opening = assemble(options, parts)
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
      const { core, listening: opened } = await opening
      const listening = await listen(core, host, port)
      listeners.add(listening)
      opened()
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
