import { ClearingCache } from '../../../../base/cache.ts'
import { monotonicMs } from '../../../../base/time/real-time.ts'
import type { DocumentKind, Query } from '../../../port/port.ts'
import { numberOf } from '../kinds.ts'
import { uuidArrayOf } from '../rows.ts'
import type { Statement } from '../sql.ts'
import { blockBits, type FoldLimits, foldedKinds, isWorthFolding, mostUnfolded } from './fold-limits.ts'
import { type Folded, readState, type StateRow, stateOf } from './fold-state.ts'
import type { Folder } from './folder.ts'
import { estimate, termsOf } from './split.ts'

const mostRemembered = 1_000

type AskState = (statement: Statement, values: unknown[]) => Promise<readonly StateRow[]>

/** Chooses for each query if blocks tell its total faster than counting row by row. */
export class ChosenWay {
  readonly #ask: AskState
  readonly #folder: Folder | undefined
  readonly #limits: FoldLimits
  readonly #without = new ClearingCache<string, number>(mostRemembered)

  constructor(ask: AskState, folder: Folder | undefined, limits: FoldLimits) {
    this.#ask = ask
    this.#folder = folder
    this.#limits = limits
  }

  /** Returns what the blocks of a collection have of a query; `undefined` if its rows are to be counted. */
  async of(kind: DocumentKind, tenant: string, query: Query): Promise<Folded | undefined> {
    if (!foldedKinds.has(kind)) return undefined
    const collection = { tenant, kind: numberOf(kind) }
    const name = `${tenant} ${kind}`
    if ((this.#without.get(name) ?? 0) > monotonicMs()) return undefined
    const terms = uuidArrayOf([...termsOf(query)])
    const values = [tenant, collection.kind, terms]
    const { documents, unfolded, folded } = stateOf(await this.#ask(readState, values))
    if (isWorthFolding(documents, folded ? unfolded : documents, this.#limits)) this.#folder?.hint(collection)
    if (!folded) {
      this.#without.set(name, monotonicMs() + this.#limits.rememberMs)
      return undefined
    }
    const visited = Math.min(estimate(query, folded.terms), documents)
    // Reading a term of a block takes about as long as visiting a row.
    const reads = ((folded.terms.size + 1) * documents) / blockBits
    const isFaster = unfolded <= mostUnfolded && visited >= Math.max(this.#limits.leastTotal, reads)
    return isFaster ? folded : undefined
  }
}
