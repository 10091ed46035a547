import type { Steps } from '../../base/turn.ts'
import type { Digest, Place, StoredDocument } from '../port.ts'

/** Records that are too large to be opened, or to be in memory, many at a time. */

/** So many bytes of boxes are opened at a stretch, and so many at once in memory. */
export const mostOpenedAtOnce = 256 * 1024

/** Beyond that, records are opened in steps of about so many bytes: 1 MiB takes about 15 ms. */
export const stepBytes = 64 * 1024

/** How many of a kind with large records are read together. */
export const readTogether = 4

/** Thrown where more is asked for than should be in memory together. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

function bytesOf(documents: readonly (StoredDocument | undefined)[]): number {
  let bytes = 0
  for (const document of documents) bytes += document?.box.length ?? 0
  return bytes
}

/** True if opening the documents takes longer than others should wait. */
export function isLong(documents: readonly (StoredDocument | undefined)[]): boolean {
  return bytesOf(documents) > mostOpenedAtOnce
}

/** What of each document finds it again, without holding its box. */
export function placesOf(documents: readonly Place[]): Place[] {
  return documents.map(({ id, createdUs }) => ({ id, createdUs }))
}

/**
 * Reads documents, some of them together.
 * @throws {TooManyBytes} where they are longer than `mostBytes`, without reading the rest
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

/** Opens documents with the turns of others in between. */
export async function openInSteps<Document extends StoredDocument | undefined, Opened>(
  steps: Steps,
  documents: readonly Document[],
  open: (document: Document) => Opened,
): Promise<Opened[]> {
  const opened: Opened[] = []
  let bytes = 0
  for (const document of documents) {
    bytes += document?.box.length ?? 0
    if (bytes > stepBytes) {
      await steps.next()
      bytes = 0
    }
    opened.push(open(document))
  }
  return opened
}
