import type { Pass } from '../../base/flow/turns.ts'
import type { Digest, DocumentKind, StoredDocument } from '../port/port.ts'

// Records that are too large to be opened, or to be in memory, many at a time.

/** More bytes of boxes than this are not opened without a pause, and are not all kept in memory. */
export const mostOpenedAtOnce = 256 * 1024

/** Bytes opened between two pauses of long work: 1 MiB takes about 15 ms. */
export const stepBytes = 64 * 1024

/** The number of documents that are read together if their records are large. */
export const readTogether = 4

/** What was seen of the records of one tenant so far, by kind. */
export class KindSizes {
  /** Kinds with a large record, or a long page of them. Pages are read a few records at a time, which is slower. */
  readonly large = new Set<DocumentKind>()
  /** Kinds with a record that takes a pause to open. */
  readonly paused = new Set<DocumentKind>()
}

/** Thrown where the records asked for should not be in memory together. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

function bytesOf(documents: readonly (StoredDocument | undefined)[]): number {
  let bytes = 0
  for (const document of documents) bytes += document?.box.length ?? 0
  return bytes
}

/** True if opening the documents without a pause would hold up other requests. */
export function isLong(documents: readonly (StoredDocument | undefined)[]): boolean {
  return bytesOf(documents) > mostOpenedAtOnce
}

/**
 * Reads documents, `together` at a time.
 * @throws {TooManyBytes} when those read so far exceed `mostBytes`, without reading the rest
 */
export async function readWithin(
  mostBytes: number,
  ids: readonly Digest[],
  together: number,
  read: (ids: readonly Digest[]) => Promise<(StoredDocument | undefined)[]>,
): Promise<(StoredDocument | undefined)[]> {
  const documents: (StoredDocument | undefined)[] = []
  let bytes = 0
  for (let at = 0; at < ids.length; at += together) {
    const some = await read(ids.slice(at, at + together))
    bytes += bytesOf(some)
    if (bytes > mostBytes) throw new TooManyBytes()
    documents.push(...some)
  }
  return documents
}

/** Opens documents, with pauses for other requests where it takes long. */
export async function openAll<Document extends StoredDocument | undefined, Opened>(
  pass: Pass,
  documents: readonly Document[],
  open: (document: Document) => Opened,
): Promise<Opened[]> {
  if (!isLong(documents)) return documents.map(open)
  const opened: Opened[] = []
  let bytes = 0
  for (const document of documents) {
    bytes += document?.box.length ?? 0
    if (bytes > stepBytes) {
      await pass()
      bytes = 0
    }
    opened.push(open(document))
  }
  return opened
}
