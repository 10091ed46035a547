import type { Content, StoredDocument } from '../../../port/port.ts'

/** The part of a document that searches use. */
export type IndexedContent = Pick<Content, 'terms' | 'uniques' | 'dueMs'>

/** Derives the indexed content from a document's record; `undefined` where the document's own is taken. */
export type ContentOf = (document: StoredDocument) => Promise<IndexedContent | undefined>

/** The result of a verification. */
export class Findings {
  documents = 0
  /** Keys of the index. */
  entries = 0
  /** Documents whose terms, uniques or due time differ from those of their record. */
  outdated = 0
  /** Missing index entries. */
  missing = 0
  /** Index entries with a wrong value. */
  different = 0
  /** Index entries that belong to no document. */
  stray = 0
  /** Documents that were cut off. Their index entries stay, as nothing about them is reliable. */
  cutOff = 0
  /** Documents whose ordinal another document has; it is not known which one is right. */
  displaced = 0
}

/** Counts the faults in the findings. */
export function countFaults({ outdated, missing, different, stray, displaced }: Findings): number {
  return outdated + missing + different + stray + displaced
}
