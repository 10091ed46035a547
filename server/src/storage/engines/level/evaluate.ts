import type { Digest, Query } from '../../port/port.ts'
import {
  countBits,
  fill,
  fillRange,
  intersect,
  listOffsets,
  newWords,
  subtractFrom,
  unite,
  type Words,
} from './bitmap.ts'
import { blockSize } from './keys.ts'
import type { BlockMap } from './term-cache.ts'

/** Ordinals `from` up to, not including, `end`. */
export interface OrdinalRange {
  readonly from: number
  readonly end: number
}

/** A part of a query that is not a term. Its matches are found before the evaluation. */
export type Leaf = Extract<Query, { op: 'ids' | 'created' | 'modified' }>
export type Resolved = BlockMap | OrdinalRange

interface Inputs {
  readonly live: BlockMap
  readonly terms: ReadonlyMap<Digest, BlockMap>
  readonly leaves: ReadonlyMap<Leaf, Resolved>
}

/** Sets `out` to the matches within a block. Returns false if there are none; `out` is undefined then. */
type BlockMatcher = (block: number, out: Words) => boolean

export function compileQuery(query: Query, inputs: Inputs): BlockMatcher {
  switch (query.op) {
    case 'all':
      return matchBlocks(inputs.live)
    case 'none':
      return () => false
    case 'term':
      return matchBlocks(inputs.terms.get(query.term) ?? new Map())
    case 'ids':
    case 'created':
    case 'modified': {
      const resolved = inputs.leaves.get(query) ?? new Map()
      return 'from' in resolved ? matchRange(resolved) : matchBlocks(resolved)
    }
    case 'and':
      return matchEvery(
        query.of.map(part => compileQuery(part, inputs)),
        inputs.live,
      )
    case 'or':
      return matchSome(query.of.map(part => compileQuery(part, inputs)))
    case 'not':
      return matchRest(compileQuery(query.of, inputs), inputs.live)
  }
}

function matchBlocks(blocks: BlockMap): BlockMatcher {
  return (block, out) => {
    const image = blocks.get(block)
    if (image === undefined) return false
    fill(out, image)
    return true
  }
}

function matchRange({ from, end }: OrdinalRange): BlockMatcher {
  return (block, out) => {
    const start = block * blockSize
    if (end <= start || from >= start + blockSize) return false
    fillRange(out, Math.max(from - start, 0), Math.min(end - start, blockSize))
    return true
  }
}

function matchEvery(parts: readonly BlockMatcher[], live: BlockMap): BlockMatcher {
  const [first = matchBlocks(live), ...others] = parts
  const scratch = newWords()
  return (block, out) =>
    first(block, out) && others.every(part => part(block, scratch) && intersect(out, scratch))
}

function matchSome(parts: readonly BlockMatcher[]): BlockMatcher {
  const scratch = newWords()
  return (block, out) => {
    let any = false
    for (const part of parts) {
      if (!any) any = part(block, out)
      else if (part(block, scratch)) unite(out, scratch)
    }
    return any
  }
}

/** NOT: the documents that exist, without those of `part`. */
function matchRest(part: BlockMatcher, live: BlockMap): BlockMatcher {
  const everything = matchBlocks(live)
  const scratch = newWords()
  return (block, out) => {
    if (!part(block, out)) return everything(block, out)
    return everything(block, scratch) && subtractFrom(scratch, out)
  }
}

interface PageRange {
  readonly offset: number
  readonly limit: number
  readonly oldestFirst: boolean
  /** The ordinals that the page may contain. The total counts all matches. */
  readonly within: OrdinalRange
}

/** Blocks between two turns of others: a query of many terms takes half a millisecond for them. */
const blocksTogether = 32

/**
 * Counts all matches and lists the ordinals of one page, going through the blocks in the order of the page.
 *
 * @param passed is asked between parts of the blocks; what the matcher reads must not change meanwhile
 */
export async function pickPage(
  matcher: BlockMatcher,
  live: BlockMap,
  page: PageRange,
  passed?: () => undefined | Promise<void>,
) {
  const { limit, oldestFirst, within } = page
  const blocks = [...live.keys()].sort((a, b) => (oldestFirst ? a - b : b - a))
  const inRange = matchRange(within)
  const words = newWords()
  const scratch = newWords()
  const ordinals: number[] = []
  let total = 0
  let skip = page.offset
  for (const [index, block] of blocks.entries()) {
    const passing = (index + 1) % blocksTogether === 0 ? passed?.() : undefined
    if (passing) await passing
    if (!matcher(block, words)) continue
    const count = countBits(words)
    total += count
    if (ordinals.length >= limit) continue
    const isWithin = within.from <= block * blockSize && within.end >= (block + 1) * blockSize
    if (!isWithin && !(inRange(block, scratch) && intersect(words, scratch))) continue
    const candidates = isWithin ? count : countBits(words)
    if (candidates <= skip) {
      skip -= candidates
      continue
    }
    const offsets = listOffsets(words)
    if (!oldestFirst) offsets.reverse()
    for (const offset of offsets.slice(skip, skip + limit - ordinals.length)) {
      ordinals.push(block * blockSize + offset)
    }
    skip = 0
  }
  return { total, ordinals }
}
