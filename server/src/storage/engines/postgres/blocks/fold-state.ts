import { type Digest, digestOfUuid } from '../../../port/port.ts'
import type { Statement } from '../sql.ts'

/** The part of a collection that is in blocks, as far as a query needs it. */
export interface Folded {
  /** All documents up to this stamp are in blocks. */
  readonly foldedUs: number
  /** The folded terms of the query, with the approximate number of their documents. */
  readonly terms: ReadonlyMap<Digest, number>
}

/** The state of a collection with regard to blocks. */
interface FoldState {
  readonly documents: number
  /** Undefined where totals cannot be counted in blocks. */
  readonly folded?: Folded
  /** The approximate number of documents that are not in blocks, or not as they are now. */
  readonly unfolded: number
}

/** The state, in a row for each of the terms that are folded. */
export const readState: Statement = {
  name: 'read_fold_state',
  text: `SELECT own.documents, unfolded,
           CASE WHEN known_stamps = last_us + last_created_us AND known_documents = own.documents
                THEN folded_us END, term, terms.documents
         FROM collections AS own LEFT JOIN folded_terms AS terms
           ON terms.tenant = own.tenant AND terms.kind = own.kind AND term = ANY($3::uuid[])
         WHERE own.tenant = $1::uuid AND own.kind = $2::smallint`,
}

export type StateRow = readonly [
  documents: string,
  unfolded: string,
  foldedUs: string | null,
  term: string | null,
  count: string,
]

export function stateOf(rows: readonly StateRow[]): FoldState {
  const [documents = '0', unfolded = '0', foldedUs = null] = rows[0] ?? []
  const terms = new Map<Digest, number>()
  for (const [, , , term, count] of rows) if (term !== null) terms.set(digestOfUuid(term), Number(count))
  return {
    documents: Number(documents),
    unfolded: Number(unfolded),
    ...(foldedUs === null ? {} : { folded: { foldedUs: Number(foldedUs), terms } }),
  }
}
