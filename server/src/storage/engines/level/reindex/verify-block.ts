import type { Digest } from '../../../port.ts'
import { addOffset, decodeBlock, encodeBlock, listOffsets, type OwnBlock } from '../bitmap.ts'
import { blockKey, blockSize, documentKey, liveTerm, sortOfKey, termPrefix } from '../keys.ts'
import type { LevelDb } from '../leveldb.ts'
import { decodePlace } from '../record.ts'
import { expectedOf, type Place } from './expected.ts'
import type { ContentOf, Findings } from './findings.ts'
import type { Repairs } from './repairs.ts'

/** The context of the verification of one collection. */
export interface Verification extends Place {
  readonly level: LevelDb
  readonly contentOf: ContentOf
  readonly repairs: Repairs
  readonly findings: Findings
}

/** Up to 4096 documents with consecutive ordinals. */
export interface PlacedBlock {
  readonly block: number
  readonly places: readonly (readonly [key: string, value: Buffer, ordinal: number])[]
}

/** In microseconds. */
export interface BlockTimes {
  /** Creation of the first and of the last document. */
  readonly firstUs: number
  readonly lastUs: number
  /** The latest stamp, including modifications. */
  readonly newestUs: number
}

/** The result for a block. */
export interface BlockSummary {
  /** The number of expected keys of `countedSorts` that exist. */
  readonly present: number
  /** The last ordinal in use; -1 if there is none. */
  readonly newestOrdinal: number
  /** The times of the readable documents, if there are any. */
  readonly times: BlockTimes | undefined
}

/** Sorts whose keys are counted: strays are looked for only if there are more keys than expected. */
export const countedSorts = ['b', 'm', 'e', 'u'] as const
const isCounted = (key: string) =>
  !key.startsWith('!') && (countedSorts as readonly string[]).includes(sortOfKey(key))

export const readsAtOnce = 1000

/** Compares the expected entries of these documents with the stored ones. */
export async function verifyBlock(
  verification: Verification,
  { block, places }: PlacedBlock,
): Promise<BlockSummary> {
  const { level, collection, contentOf, repairs, findings } = verification
  const images = new Map<Digest, OwnBlock>()
  const entries = new Map<string, Buffer>()
  const unknown: number[] = []
  const stamps: number[] = []
  let newestUs = 0
  let newestOrdinal = -1
  const add = (term: Digest, offset: number) => images.set(term, addOffset(images.get(term) ?? [], offset))
  for (const some of inGroups(places, readsAtOnce)) {
    const ids = some.map(([, value]) => decodePlace(value).id)
    const documents = await level.getMany(ids.map(id => documentKey(collection, id)))
    for (const [index, [key, , ordinal]] of some.entries()) {
      const id = ids[index] as Digest
      const document = documents[index]
      const expected = document && (await expectedOf(verification, id, document, contentOf))
      if (document && !expected) {
        findings.documents++
        findings.cutOff++
        unknown.push(ordinal % blockSize)
        newestOrdinal = ordinal
      } else if (!document || expected?.header.ordinal !== ordinal) {
        findings.stray++
        repairs.del(key)
      } else {
        findings.documents++
        newestOrdinal = ordinal
        const { header, corrected } = expected
        if (corrected) {
          findings.outdated++
          repairs.put(documentKey(collection, id), corrected)
        }
        for (const [name, value] of expected.entries) entries.set(name, value)
        for (const term of [liveTerm, ...header.terms]) add(term, ordinal % blockSize)
        stamps.push(header.createdUs)
        newestUs = Math.max(newestUs, header.createdUs, header.modifiedUs ?? 0)
      }
    }
  }
  let present = await compare(verification, [...entries], (expected, actual) => expected.equals(actual))
  const blocks = [...images].map(
    ([term, image]) => [blockKey(termPrefix(collection, term), block), image] as const,
  )
  present += await compareBlocks(verification, blocks, unknown)
  await repairs.flush()
  const [firstUs] = stamps
  const lastUs = stamps.at(-1)
  const isEmpty = firstUs === undefined || lastUs === undefined
  return { present, newestOrdinal, times: isEmpty ? undefined : { firstUs, lastUs, newestUs } }
}

/** Returns how many of the counted entries exist. */
async function compare(
  { level, repairs, findings }: Verification,
  expected: readonly (readonly [key: string, value: Buffer])[],
  isSame: (expected: Buffer, actual: Buffer) => boolean,
): Promise<number> {
  let present = 0
  for (const some of inGroups(expected, readsAtOnce)) {
    const actual = await level.getMany(some.map(([key]) => key))
    for (const [index, [key, value]] of some.entries()) {
      const found = actual[index]
      findings.entries++
      if (found && isCounted(key)) present++
      if (found && isSame(value, found)) continue
      findings[found ? 'different' : 'missing']++
      repairs.put(key, value)
    }
  }
  return present
}

/** Like `compare`, for blocks. Bits of documents that were cut off are not changed. */
async function compareBlocks(
  verification: Verification,
  expected: readonly (readonly [key: string, image: OwnBlock])[],
  unknown: readonly number[],
): Promise<number> {
  const { level } = verification
  let present = 0
  for (const some of inGroups(expected, readsAtOnce)) {
    const kept = unknown.length === 0 ? [] : await level.getMany(some.map(([key]) => key))
    const values = some.map(([key, image], index) => {
      const actual = offsetsOf(kept[index])
      const whole = unknown
        .filter(offset => actual.has(offset))
        .reduce((block, offset) => addOffset(block, offset), image)
      return [key, encodeBlock(whole) ?? Buffer.alloc(0)] as const
    })
    present += await compare(verification, values, (wanted, actual) => {
      const [left, right] = [offsetsOf(wanted), offsetsOf(actual)]
      return (
        wanted.equals(actual) || (left.size === right.size && [...left].every(offset => right.has(offset)))
      )
    })
  }
  return present
}

function offsetsOf(value: Buffer | undefined): Set<number> {
  if (!value) return new Set()
  const block = decodeBlock(value)
  return new Set(block instanceof Uint32Array ? listOffsets(block) : block)
}

function* inGroups<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}
