import type { JsonValue } from '../../base/json/json.ts'
import { allRecords } from '../../storage/records/all-records.ts'
import type { SealedStore } from '../../storage/records/sealed.ts'
import type { TokenRecord } from '../../tokens/token.ts'
import type { DevHandlersOf } from '../handlers.ts'
import { LeakFinder } from './finder.ts'

interface LeaksContext {
  readonly store: SealedStore
  nowUs(tenant: string): number
}

const mostPlaces = 1000

/** Finds values of a tenant's tokens in what an application wrote. Returns places, never values. */
export class Leaks {
  readonly #context: LeaksContext
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
          .map(({ token, ...place }) => ({ ...place, token_id: token }))
        return { status: 200, body: { places, values: finder.values, skipped: finder.skipped } }
      },
    }
  }

  /** Drops the values that it keeps. */
  clear(): void {
    this.#last = undefined
  }

  async #collect(tenant: string): Promise<LeakFinder> {
    const finder = new LeakFinder()
    const store = await this.#context.store.tenant(tenant)
    if (store) {
      const nowMs = this.#context.nowUs(tenant) / 1000
      // Codes of cards are too short to be searched for.
      for await (const { value } of allRecords<TokenRecord>(store, 'token', { op: 'all' }, nowMs)) {
        for (const leaf of leavesOf(value.data)) finder.add(value.id, leaf)
      }
    }
    this.#last = { tenant, finder }
    return finder
  }
}

/** Returns the texts and numbers in a value, as texts. */
function* leavesOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* leavesOf(child)
  }
}
