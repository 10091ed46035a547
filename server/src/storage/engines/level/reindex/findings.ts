import type { Content, StoredDocument } from '../../../port.ts'

/** What a document is to be found by. */
export type IndexedContent = Pick<Content, 'terms' | 'uniques' | 'dueMs'>

/** What a document's own record says it is to be found by; `undefined` where the document is to be believed. */
export type ContentOf = (document: StoredDocument) => Promise<IndexedContent | undefined>

/** What a verification has looked at, and what of it disagrees with the records. */
export interface Findings {
  documents: number
  /** Keys of the index, of all sorts. */
  entries: number
  /** Documents that say something else of themselves than their record does. */
  outdated: number
  /** Index entries that are not there. */
  missing: number
  /** Index entries that are there, and say something else. */
  different: number
  /** Index entries of nothing there is. */
  stray: number
  /** Documents that were cut off: of them nothing can be believed, and what stands of them stays. */
  cutOff: number
  /** Documents whose place in the collection another one holds; nothing can tell which of them is right. */
  displaced: number
}

export function nothingFound(): Findings {
  return {
    documents: 0,
    entries: 0,
    outdated: 0,
    missing: 0,
    different: 0,
    stray: 0,
    cutOff: 0,
    displaced: 0,
  }
}

/** How many disagreements there are. */
export function countFaults({ outdated, missing, different, stray, displaced }: Findings): number {
  return outdated + missing + different + stray + displaced
}
