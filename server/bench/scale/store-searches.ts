import type { DocumentKind, FindOptions, Query, Store } from '../../src/storage/port.ts'
import { createVaultWith, type Vault } from '../../src/vault.ts'
import { replacing } from '../../testing/stores.ts'
import { quantile } from '../measure.ts'
import type { Shape } from '../search/shapes.ts'
import { bootstrap, maskingKey, masterKey, restrictedKey } from '../server-process.ts'

/** A search at the store port. */
export interface StoreSearch {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly query: Query
  readonly options: FindOptions
}

/** Translates the search of a shape to the search at the store port, by intercepting it in a server. */
export class StoreSearches {
  readonly #vault: Vault
  #search: StoreSearch | undefined

  /** Also closes the store. */
  constructor(storage: string, store: Store) {
    const listening = replacing(store, {
      find: async (kind, tenant, query, options) => {
        if (kind === 'token') this.#search = { kind, tenant, query, options }
        // The search is known now; its result is not needed.
        return { total: 0, documents: [] }
      },
    })
    this.#vault = createVaultWith(
      { openStore: async () => listening },
      { storage, masterKey: Buffer.from(masterKey, 'base64'), bootstrap },
    )
  }

  async of({ query, restricted }: Shape): Promise<StoreSearch> {
    this.#search = undefined
    const response = await this.#vault.fetch('http://vault/tokens/search', {
      method: 'POST',
      headers: { 'SVC-API-KEY': restricted ? restrictedKey : maskingKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, size: 20 }),
    })
    if (!this.#search) throw new Error(`a search: status ${response.status}: ${await response.text()}`)
    return this.#search
  }

  close(): Promise<void> {
    return this.#vault.close()
  }
}

/** Returns the median in milliseconds over the given seconds, of at least five runs. */
export async function medianMs(seconds: number, work: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 3; n++) await work()
  const times: number[] = []
  const endMs = performance.now() + seconds * 1000
  while (performance.now() < endMs || times.length < 5) {
    const beganMs = performance.now()
    await work()
    times.push(performance.now() - beganMs)
  }
  return quantile(times, 0.5)
}
