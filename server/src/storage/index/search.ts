import type { Pass } from '../../base/flow/turns.ts'
import {
  type Digest,
  type FindOptions,
  type Found,
  type Position,
  type Query,
  StoreDamaged,
  type StoredDocument,
} from '../port/port.ts'
import { type Blocks, blocksOf } from './bits.ts'
import { evaluate, type Inputs, isBound, type Leaf, type OrdinalRange } from './evaluate.ts'

/** Names all documents of a collection, as if it were a term: 16 zero bytes, which no digest is. */
export const liveTerm = 'AAAAAAAAAAAAAAAAAAAAAA' as Digest

/** One collection at one moment, as an engine reads it. */
export interface Snapshot {
  /** Begins at once: engines take what they have in memory before the first wait. */
  blocks(terms: ReadonlySet<Digest>): Promise<ReadonlyMap<Digest, Blocks>>
  ordinals(ids: readonly Digest[]): Promise<number[]>
  /** The ordinals of documents modified within whole bounds, both inclusive. */
  modified(fromUs: number, toUs: number): Promise<number[]>
  /** The ordinals of documents that are due. */
  due(nowMs: number): Promise<number[]>
  /** The first ordinal whose document was created at `us` or later; infinite if there is none. */
  firstFrom(us: number): Promise<number>
  /**
   * The documents with these ordinals, in their order. Once the boxes read exceed `mostBytes`, no more are read: `rest` has
   * the places of the others.
   */
  page(ordinals: readonly number[], mostBytes: number): Promise<Page>
}

interface Page {
  readonly documents: readonly StoredDocument[]
  readonly rest: readonly Position[]
}

const mostUs = Number.MAX_SAFE_INTEGER - 1

/** Finds documents in two steps: the blocks and ordinals that the query names, and then the documents of the page. */
export async function search(
  moment: Snapshot,
  query: Query,
  options: FindOptions,
  pass: Pass,
): Promise<Found> {
  const { nowMs, offset, limit, oldestFirst = false, mostBytes } = options
  const terms = new Set<Digest>(isBound(query) ? [] : [liveTerm])
  const leaves = new Set<Leaf>()
  collect(query, terms, leaves)
  const [blocks, due, within, resolved] = await Promise.all([
    moment.blocks(terms),
    moment.due(Math.floor(nowMs)),
    rangeAfter(moment, options),
    Promise.all([...leaves].map(async leaf => [leaf, await resolve(moment, leaf)] as const)),
  ])
  const live = blocks.get(liveTerm) ?? new Map()
  const inputs: Inputs = { live, terms: blocks, leaves: new Map(resolved), due: blocksOf(due) }
  const { total, ordinals } = await evaluate(query, inputs, { offset, limit, oldestFirst, within }, pass)
  if (ordinals.length === 0) return { total, documents: [] }
  const { documents, rest } = await moment.page(ordinals, mostBytes ?? Number.MAX_SAFE_INTEGER)
  // A page that is too short would look like the last one.
  if (documents.length + rest.length < ordinals.length) throw missingDocument()
  return mostBytes === undefined ? { total, documents } : { total, documents, rest }
}

/** Only a change from outside makes this. */
export const missingDocument = () =>
  new StoreDamaged(
    'the search index names a document that is missing: restore the data, or build a new index',
  )

function collect(query: Query, terms: Set<Digest>, leaves: Set<Leaf>): void {
  switch (query.op) {
    case 'term':
      terms.add(query.term)
      break
    case 'ids':
    case 'created':
    case 'modified':
      leaves.add(query)
      break
    case 'not':
      collect(query.of, terms, leaves)
      break
    case 'and':
    case 'or':
      for (const part of query.of) collect(part, terms, leaves)
  }
}

/** Bounds may be absent, infinite or fractions. Stamps are whole numbers from 0. */
async function resolve(moment: Snapshot, leaf: Leaf): Promise<Blocks | OrdinalRange> {
  if (leaf.op === 'ids') return blocksOf(await moment.ordinals(leaf.ids))
  const from = Math.ceil(Math.max(leaf.fromUs ?? 0, 0))
  const to = Math.floor(Math.min(leaf.toUs ?? mostUs, mostUs))
  if (!(from <= to)) return new Map()
  if (leaf.op === 'modified') return blocksOf(await moment.modified(from, to))
  return { from: await moment.firstFrom(from), end: await moment.firstFrom(to + 1) }
}

async function rangeAfter(moment: Snapshot, { afterUs, oldestFirst }: FindOptions): Promise<OrdinalRange> {
  if (afterUs === undefined) return { from: 0, end: Number.POSITIVE_INFINITY }
  return oldestFirst
    ? { from: await moment.firstFrom(Math.floor(afterUs) + 1), end: Number.POSITIVE_INFINITY }
    : { from: 0, end: await moment.firstFrom(Math.ceil(afterUs)) }
}
