import type { Content, StoredDocument } from '../../../port.ts'

/** The part of a document that searches use. */
export type IndexedContent = Pick<Content, 'terms' | 'uniques' | 'dueMs'>

/** Derives the indexed content from a document's record; `undefined` where the document's own is taken. */
export type ContentOf = (document: StoredDocument) => Promise<IndexedContent | undefined>

/** The result of a verification. */
export interface Findings {
  documents: number
  /** Keys of the index. */
  entries: number
  /** Documents whose terms, uniques or due time differ from those of their record. */
  outdated: number
  /** Missing index entries. */
  missing: number
  /** Index entries with a wrong value. */
  different: number
  /** Index entries that belong to no document. */
  stray: number
  /** Documents that were cut off. Their index entries stay, as nothing about them is reliable. */
  cutOff: number
  /** Documents whose ordinal another document has; it is not known which one is right. */
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

/** Counts the faults in the findings. */
export function countFaults({ outdated, missing, different, stray, displaced }: Findings): number {
  return outdated + missing + different + stray + displaced
}
