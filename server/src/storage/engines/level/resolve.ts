import type { Digest } from '../../port/port.ts'
import type { Epoch } from './epoch.ts'
import type { Leaf, Resolved } from './evaluate.ts'
import {
  blockSize,
  type CollectionKey,
  createdFrom,
  documentKey,
  keysOfSort,
  modifiedRange,
  ordinalOfKey,
  stampOfKey,
} from './keys.ts'
import { decodeOrdinal } from './record.ts'
import type { BlockMap } from './term-cache.ts'

/** One collection at one moment. */
export interface Moment {
  readonly collection: CollectionKey
  readonly epoch: Epoch
}

/** Finds the matches of each leaf at this moment. */
export async function resolveLeaves(moment: Moment, leaves: ReadonlySet<Leaf>): Promise<Map<Leaf, Resolved>> {
  const resolved = new Map<Leaf, Resolved>()
  const modified: ModifiedRange[] = []
  for (const leaf of leaves) {
    if (leaf.op === 'ids') {
      resolved.set(leaf, await placeIds(moment, leaf.ids))
      continue
    }
    const from = wholeFrom(leaf.fromUs)
    const to = wholeTo(leaf.toUs)
    if (!(from <= to)) resolved.set(leaf, new Map())
    else if (leaf.op === 'modified') modified.push({ leaf, from, to, ordinals: [] })
    else {
      resolved.set(leaf, {
        from: await firstOrdinalFrom(moment, from),
        end: await firstOrdinalFrom(moment, to + 1),
      })
    }
  }
  await scanModified(moment, modified)
  for (const { leaf, ordinals } of modified) resolved.set(leaf, blocksOf(ordinals))
  return resolved
}

interface ModifiedRange {
  readonly leaf: Leaf
  readonly from: number
  readonly to: number
  readonly ordinals: number[]
}

const mostUs = Number.MAX_SAFE_INTEGER - 1

/** Bounds may be absent, infinite or fractions. Stamps are whole numbers from 0. */
const wholeFrom = (us = 0) => Math.ceil(Math.max(us, 0))
const wholeTo = (us = mostUs) => Math.floor(Math.min(us, mostUs))

async function placeIds({ collection, epoch }: Moment, ids: readonly Digest[]): Promise<BlockMap> {
  const values = await epoch.read(ids.map(id => documentKey(collection, id)))
  return blocksOf(values.flatMap(value => (value ? [decodeOrdinal(value)] : [])))
}

/**
 * Returns the first ordinal whose document was created at `us` or later. Stamps grow with ordinals, so a range of
 * times is a range of ordinals.
 */
export async function firstOrdinalFrom({ collection, epoch }: Moment, us: number): Promise<number> {
  if (us <= 0) return 0
  if (us <= mostUs) {
    for await (const [key = ''] of epoch.keys(createdFrom(collection, us), 1)) return ordinalOfKey(key)
  }
  return Number.POSITIVE_INFINITY
}

/** Reads the keys in the ranges, each only once, as a query may name the same months many times. */
async function scanModified({ collection, epoch }: Moment, ranges: readonly ModifiedRange[]): Promise<void> {
  const waiting = [...ranges].sort((a, b) => a.from - b.from)
  for (let first = waiting.shift(); first; first = waiting.shift()) {
    const together = [first]
    let { to } = first
    while ((waiting[0]?.from ?? Number.POSITIVE_INFINITY) <= to) {
      const next = waiting.shift() as ModifiedRange
      to = Math.max(to, next.to)
      together.push(next)
    }
    for await (const keys of epoch.keys(modifiedRange(collection, first.from, to), 1000)) {
      for (const key of keys) {
        const us = stampOfKey(key)
        for (const range of together) {
          if (range.from <= us && us <= range.to) range.ordinals.push(ordinalOfKey(key))
        }
      }
    }
  }
}

/** Returns the documents that are due and not yet swept. If there are none, reports when the next is due. */
export async function scanOver(
  { collection, epoch }: Moment,
  nowMs: number,
  learnFloor: (nextMs: number) => void,
): Promise<BlockMap> {
  const over: number[] = []
  let next = Number.POSITIVE_INFINITY
  scan: for await (const keys of epoch.keys(keysOfSort(collection, 'e'), 256)) {
    for (const key of keys) {
      if (stampOfKey(key) > nowMs) {
        next = stampOfKey(key)
        break scan
      }
      over.push(ordinalOfKey(key))
    }
  }
  if (over.length === 0) learnFloor(next)
  return blocksOf(over)
}

function blocksOf(ordinals: number[]): BlockMap {
  const blocks = new Map<number, number[]>()
  for (const ordinal of ordinals) {
    const block = Math.floor(ordinal / blockSize)
    const offsets = blocks.get(block)
    if (offsets) offsets.push(ordinal % blockSize)
    else blocks.set(block, [ordinal % blockSize])
  }
  for (const offsets of blocks.values()) offsets.sort((a, b) => a - b)
  return blocks
}
