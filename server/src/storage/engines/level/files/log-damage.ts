import { nextTurn } from '../../../../base/flow/event-loop.ts'
import {
  blockBytes,
  first,
  fitsOtherLength,
  fragmentAt,
  headerBytes,
  middle,
  nextFragment,
  whole,
} from './log-format.ts'

/** Bytes checked between two turns of the event loop. */
const turnBytes = 1 << 20
const pageBytes = 4096
const fewestZeros = 64

/**
 * Returns the position of the first damage in a log; `undefined` if every acknowledged commit is there. LevelDB
 * itself silently skips records whose checksum does not match, up to the end of the block.
 *
 * A crash may leave the last record torn: the file ends within it, or continues with pages of zeros. Anything else
 * is damage, even in the last record, because a crash changes no bytes.
 */
export async function findLogDamage(bytes: Buffer): Promise<number | undefined> {
  let isOpen = false
  for (let block = 0; block < bytes.length; block += blockBytes) {
    if (block % turnBytes === 0) await nextTurn()
    const end = Math.min(block + blockBytes, bytes.length)
    for (let at = block; end - at >= headerBytes; ) {
      const fragment = fragmentAt(bytes, at, end)
      if (!fragment) return isTorn(bytes, at, end) ? undefined : at
      const begins = fragment.type === whole || fragment.type === first
      if (begins === isOpen) return at
      isOpen = fragment.type === first || fragment.type === middle
      at = fragment.end
    }
  }
  return undefined
}

/** @param end of the block, which no fragment crosses */
function isTorn(bytes: Buffer, at: number, end: number): boolean {
  const zerosFrom = startOfZeros(bytes)
  if (zerosFrom <= at) return true
  const page = Math.ceil(zerosFrom / pageBytes) * pageBytes
  const writtenEnd = page + fewestZeros <= bytes.length ? page : bytes.length
  const claimedEnd = at + headerBytes + bytes.readUInt16LE(at + 4)
  if (writtenEnd > end || claimedEnd <= writtenEnd) return false
  // A complete fragment with a changed length would look as if the file ended within it.
  return !fitsOtherLength(bytes, at, end) && nextFragment(bytes, at + 1, end) === undefined
}

/** Returns the position after which there are only zeros. */
function startOfZeros(bytes: Buffer): number {
  let start = bytes.length
  while (start > 0 && bytes[start - 1] === 0) start--
  return start
}
