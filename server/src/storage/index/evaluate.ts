import type { Pass } from '../../base/flow/turns.ts'
import type { Digest, Query } from '../port/port.ts'
import {
  type Blocks,
  blockSize,
  countBits,
  fill,
  fillRange,
  intersect,
  newWords,
  offsetsOf,
  subtractFrom,
  unite,
  type Words,
} from './bits.ts'

/** Ordinals `from` up to, not including, `end`. */
export interface OrdinalRange {
  readonly from: number
  readonly end: number
}

/** A part of a query that is not a term. */
export type Leaf = Extract<Query, { op: 'ids' | 'created' | 'modified' }>

/** What a query is evaluated on, all of one moment. */
export interface Inputs {
  /** All documents; not needed for a query that `isBound`. */
  readonly live: Blocks
  readonly terms: ReadonlyMap<Digest, Blocks>
  readonly leaves: ReadonlyMap<Leaf, Blocks | OrdinalRange>
  /** Documents that are due and not yet erased. */
  readonly due: Blocks
}

/** Sets `out` to the matches within a block. Returns false if there are none, and `out` is not set. */
type Matcher = (block: number, out: Words) => boolean

/**
 * True if a query can only match documents that have one of its terms, or are named by it. Then what it does not name
 * need not be read: without the list of all documents, a search costs what its own terms cost.
 */
export function isBound(query: Query): boolean {
  switch (query.op) {
    case 'all':
    case 'created':
    case 'not':
      return false
    case 'and':
      return query.of.some(isBound)
    case 'or':
      return query.of.every(isBound)
    default:
      return true
  }
}

/** The blocks that may have matches of a query that is bound. */
function candidates(query: Query, inputs: Inputs): readonly number[] {
  const numbersOf = (blocks: Blocks = new Map()) => [...blocks.keys()]
  switch (query.op) {
    case 'term':
      return numbersOf(inputs.terms.get(query.term))
    case 'ids':
    case 'modified':
      return numbersOf(inputs.leaves.get(query) as Blocks)
    case 'and': {
      const parts = query.of.filter(isBound).map(of => candidates(of, inputs))
      return parts.reduce((least, part) => (part.length < least.length ? part : least))
    }
    case 'or': {
      // To unite those of many terms would take longer than to visit the blocks between them.
      let [first, last] = [Number.POSITIVE_INFINITY, -1]
      for (const part of query.of) {
        for (const number of candidates(part, inputs)) {
          if (number < first) first = number
          if (number > last) last = number
        }
      }
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
    }
    default:
      return []
  }
}

/** Ordinals without a document match as well: what is left of them is removed at the end. */
function compile(query: Query, inputs: Inputs): Matcher {
  switch (query.op) {
    case 'all':
      return matchAll
    case 'none':
      return () => false
    case 'term':
      return matchBlocks(inputs.terms.get(query.term))
    case 'ids':
    case 'created':
    case 'modified': {
      const leaf = inputs.leaves.get(query)
      return leaf && 'from' in leaf ? matchRange(leaf) : matchBlocks(leaf)
    }
    case 'and':
      return matchEvery(query.of.map(of => compile(of, inputs)))
    case 'or':
      return matchSome(query.of.map(of => compile(of, inputs)))
    case 'not':
      return matchRest(matchAll, compile(query.of, inputs))
  }
}

const matchAll: Matcher = (_, out) => {
  out.fill(0xffffffff)
  return true
}

function matchBlocks(blocks: Blocks = new Map()): Matcher {
  return (block, out) => {
    const image = blocks.get(block)
    if (image) fill(out, image)
    return image !== undefined
  }
}

function matchRange({ from, end }: OrdinalRange): Matcher {
  return (block, out) => {
    const start = block * blockSize
    if (end <= start || from >= start + blockSize) return false
    fillRange(out, Math.max(from - start, 0), Math.min(end - start, blockSize))
    return true
  }
}

function matchEvery([first = matchAll, ...others]: readonly Matcher[]): Matcher {
  const scratch = newWords()
  return (block, out) => {
    if (!first(block, out)) return false
    for (const part of others) {
      if (!part(block, scratch) || !intersect(out, scratch)) return false
    }
    return true
  }
}

function matchSome(parts: readonly Matcher[]): Matcher {
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

function matchRest(whole: Matcher, part: Matcher): Matcher {
  const scratch = newWords()
  return (block, out) => {
    if (!part(block, out)) return whole(block, out)
    if (!whole(block, scratch)) return false
    subtractFrom(scratch, out)
    return true
  }
}

interface Page {
  readonly offset: number
  readonly limit: number
  readonly oldestFirst: boolean
  /** The ordinals that the page may contain. The total counts all matches. */
  readonly within: OrdinalRange
}

/** Blocks between two turns of others: a query of many terms takes half a millisecond for them. */
const blocksTogether = 32

/** Counts all matches that are not due, and lists the ordinals of one page. */
export async function evaluate(query: Query, inputs: Inputs, page: Page, pass: Pass) {
  const { limit, oldestFirst, within } = page
  const isLive = isBound(query)
  const due = matchBlocks(inputs.due)
  const alive = matchRest(isLive ? compile(query, inputs) : matchBlocks(inputs.live), due)
  const matches = isLive || query.op === 'all' ? alive : matchEvery([alive, compile(query, inputs)])
  const inRange = matchRange(within)
  const words = newWords()
  const range = newWords()
  const ordinals: number[] = []
  let total = 0
  let skip = page.offset
  const numbers = isLive ? candidates(query, inputs) : [...inputs.live.keys()]
  const blocks = [...numbers].sort((a, b) => (oldestFirst ? a - b : b - a))
  for (const [index, block] of blocks.entries()) {
    const passing = (index + 1) % blocksTogether === 0 ? pass() : undefined
    if (passing) await passing
    if (!matches(block, words)) continue
    let count = countBits(words)
    total += count
    if (ordinals.length >= limit || !inRange(block, range)) continue
    if (within.from > block * blockSize || within.end < (block + 1) * blockSize) {
      intersect(words, range)
      count = countBits(words)
    }
    if (count <= skip) {
      skip -= count
      continue
    }
    for (const offset of offsetsOf(words, !oldestFirst, skip, limit - ordinals.length))
      ordinals.push(block * blockSize + offset)
    skip = 0
  }
  return { total, ordinals }
}
