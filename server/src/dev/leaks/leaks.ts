import { allRecords } from '../../storage/records/all-records.ts'
import type { SealedStore } from '../../storage/records/sealed.ts'
import type { TokenRecord } from '../../tokens/token.ts'
import type { DevHandlersOf } from '../handlers.ts'
import { LeakFinder } from './finder.ts'
import { leavesOf, SeenValues } from './seen-values.ts'

interface LeaksContext {
  readonly store: SealedStore
  nowUs(tenant: string): number
}

const mostPlaces = 1000

/** Finds values of a tenant's tokens in what an application wrote. Returns places, never values. */
export class Leaks {
  readonly #context: LeaksContext
  /** The values that requests had, which need not be in a token any more. */
  readonly seen = new SeenValues()
  /** The values of one tenant, for the further parts of a long text. */
  #last: { readonly tenant: string; readonly finder: LeakFinder } | undefined

  constructor(context: LeaksContext) {
    this.#context = context
  }

  handlers(): DevHandlersOf<'leaks'> {
    return {
      'dev.leaks.find': async ({ tenant, query: { part = 1 }, body }) => {
        const known = part > 1 && this.#last?.tenant === tenant ? this.#last.finder : undefined
        const finder = known ?? (await this.#collect(tenant))
        const places = finder
          .find(body, mostPlaces)
          .map(({ token, ...place }) => ({ ...place, ...(token === undefined ? {} : { token_id: token }) }))
        return { status: 200, body: { places, values: finder.values, skipped: finder.skipped } }
      },
    }
  }

  /** Drops the values that it keeps. */
  clear(): void {
    this.#last = undefined
    this.seen.clear()
  }

  async #collect(tenant: string): Promise<LeakFinder> {
    const finder = new LeakFinder()
    const known = new Set<string>()
    const store = await this.#context.store.tenant(tenant)
    if (store) {
      const nowMs = this.#context.nowUs(tenant) / 1000
      // Codes of cards are too short to be searched for.
      for await (const { value } of allRecords<TokenRecord>(store, 'token', { op: 'all' }, nowMs)) {
        for (const leaf of leavesOf(value.data)) {
          finder.add(value.id, leaf)
          known.add(leaf)
        }
      }
    }
    for (const { value, token } of this.seen.of(tenant)) {
      if (!known.has(value)) finder.add(token, value)
      known.add(value)
    }
    this.#last = { tenant, finder }
    return finder
  }
}
