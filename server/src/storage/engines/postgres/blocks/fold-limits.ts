import type { DocumentKind } from '../../../port/port.ts'

/** Bits of a block in the database: part of the schema. A row of this size still fits a page of the database seven times. */
export const blockBits = 8192

/** Kinds that searches count. */
export const foldedKinds: ReadonlySet<DocumentKind> = new Set(['token'])

/** When collections are folded. Tests use smaller numbers. */
export interface FoldLimits {
  /** Documents of a block, at most `blockBits`. */
  readonly blockDocuments: number
  /** Collections with fewer documents are not folded. */
  readonly leastDocuments: number
  /** A term of this many documents of one block is folded from then on. Others are found by the search index. */
  readonly commonFrom: number
  /** Terms that are folded in one collection. */
  readonly mostTerms: number
  /** Totals that are probably smaller are counted row by row, which is faster then. */
  readonly leastTotal: number
  /** After a server without blocks wrote to a collection, it is folded again only after this time. */
  readonly againAfterMs: number
  /** Time after which a collection is looked at again in which there was nothing to fold. */
  readonly quietMs: number
  /** Time during which a collection without blocks is not asked for them. */
  readonly rememberMs: number
}

export const foldLimits: FoldLimits = {
  blockDocuments: blockBits,
  leastDocuments: 20_000,
  commonFrom: blockBits / 256,
  mostTerms: 2000,
  leastTotal: 3000,
  againAfterMs: 10 * 60_000,
  quietMs: 500,
  rememberMs: 5000,
}

/** One removed or replaced document costs a search as much as this many new ones, until it is folded. */
export const staleWeight = 8

/** Above this, what is not yet folded would be slower to count than all rows. */
export const mostUnfolded = 200_000

/** True if a collection is large, and enough of it is not in blocks. */
export function isWorthFolding(documents: number, unfolded: number, limits: FoldLimits): boolean {
  return documents >= limits.leastDocuments && unfolded >= limits.blockDocuments
}
