import type { ClearingCache } from '../../../base/cache.ts'
import type {
  Digest,
  DocumentKind,
  FindOptions,
  Found,
  Place,
  Query,
  StoredDocument,
} from '../../port/port.ts'
import type { Epoch } from './epoch.ts'
import { compileQuery, type Leaf, type OrdinalRange, pickPage } from './evaluate.ts'
import { type CollectionKey, type KeyedCollection, liveTerm, ordinalKey } from './keys.ts'
import type { PublishedState } from './published-state.ts'
import { readDocuments } from './read.ts'
import { decodePlace } from './record.ts'
import { firstOrdinalFrom, type Moment, resolveLeaves, scanOver } from './resolve.ts'
import type { BlockMap } from './term-cache.ts'

const nothing: BlockMap = new Map()

/** In place of a part of the query: the documents that are due and not yet erased. */
const isDue: Leaf = { op: 'ids', ids: [] }

/**
 * Searches in three steps: load the terms into memory; take the epoch and the blocks of the same moment, in one
 * synchronous step; then evaluate the query and read the page at that moment.
 */
export async function findDocuments(
  state: PublishedState,
  kind: DocumentKind,
  tenant: string,
  query: Query,
  options: FindOptions,
): Promise<Found> {
  const collection = state.keys.of(kind, tenant)
  const captured = await captureTerms(state, collection, query)
  const { epoch, leaves, blocks, places, floor, floorMs, changes } = captured
  try {
    const live = blocks.get(liveTerm) ?? nothing
    if (live.size === 0) return { total: 0, documents: [] }
    const moment: Moment = { collection, epoch }
    const resolved = await resolveLeaves(moment, leaves)
    if (options.nowMs >= floorMs) {
      const due = await scanOver(moment, options.nowMs, next => {
        // The writer may have added earlier due times since.
        if (floor.changes === changes) floor.floorMs = next
      })
      resolved.set(isDue, due)
    }
    const inputs = { live, terms: blocks, leaves: resolved }
    const matcher = compileQuery({ op: 'and', of: [query, { op: 'not', of: isDue }] }, inputs)
    const page = {
      offset: options.offset,
      limit: options.limit,
      // Requirements: PAG-503
      oldestFirst: options.oldestFirst ?? false,
      within: await rangeAfter(moment, options),
    }
    const { total, ordinals } = await pickPage(matcher, live, page, options.passed)
    const onPage = await readPlaces(epoch, places, collection, ordinals)
    return { total, ...(await readPage(epoch, { kind, tenant, collection }, onPage, options.mostBytes)) }
  } finally {
    epoch.release()
  }
}

/** Loads terms, and takes their blocks with the epoch of the same moment. The caller releases the epoch. */
async function captureTerms(state: PublishedState, collection: CollectionKey, query: Query) {
  const { terms } = state
  const partsNow = () => partsOf(query, term => terms.isEmpty(collection, term))
  const { digests, leaves } = partsNow()
  const held = [...digests].map(digest => terms.hold(collection, digest, state.epoch))
  try {
    const loading = held.flatMap(term => term.loading ?? [])
    // Mostly all terms are in memory, and then nothing is awaited.
    if (loading.length > 0) {
      await Promise.all(loading)
      const now = partsNow()
      // If the store was emptied in the meantime, so was its cache. Or a term now has its first document.
      if (state.terms !== terms || hasMore(now.digests, digests) || hasMore(now.leaves, leaves))
        return captureTerms(state, collection, query)
    }
    // No await from here on: all of it is of one moment.
    const epoch = state.epoch.hold()
    const blocks = new Map(held.map(term => [term.term, terms.capture(term)]))
    const floor = state.dueFloor(collection)
    return { epoch, leaves, blocks, places: state.places, floor, ...floor }
  } finally {
    for (const term of held) terms.letGo(term)
  }
}

const hasMore = <Part>(parts: ReadonlySet<Part>, others: ReadonlySet<Part>) =>
  [...parts].some(part => !others.has(part))

/** Returns the parts that the matches of a query depend on, where some terms are known to have no document. */
function partsOf(
  query: Query,
  isEmpty: (term: Digest) => boolean,
  digests = new Set([liveTerm]),
  leaves = new Set<Leaf>(),
) {
  switch (query.op) {
    case 'term':
      digests.add(query.term)
      break
    case 'ids':
    case 'created':
    case 'modified':
      leaves.add(query)
      break
    case 'and': {
      const empty = query.of.find(part => part.op === 'term' && isEmpty(part.term))
      for (const part of empty ? [empty] : query.of) partsOf(part, isEmpty, digests, leaves)
      break
    }
    case 'or':
      for (const part of query.of) partsOf(part, isEmpty, digests, leaves)
      break
    case 'not':
      partsOf(query.of, isEmpty, digests, leaves)
      break
    case 'all':
    case 'none':
      break
  }
  return { digests, leaves }
}

/** Returns the ordinals that a page after the stamp `afterUs` may contain. */
async function rangeAfter(moment: Moment, { afterUs, oldestFirst }: FindOptions): Promise<OrdinalRange> {
  if (afterUs === undefined) return { from: 0, end: Number.POSITIVE_INFINITY }
  return oldestFirst
    ? { from: await firstOrdinalFrom(moment, Math.floor(afterUs) + 1), end: Number.POSITIVE_INFINITY }
    : { from: 0, end: await firstOrdinalFrom(moment, Math.ceil(afterUs)) }
}

/** Number of documents read at once where their sizes are limited. */
const readTogether = 4

/** Returns the places of ordinals. Reads those that are not known, and adds them to `known`. */
async function readPlaces(
  epoch: Epoch,
  known: ClearingCache<string, Place>,
  collection: CollectionKey,
  ordinals: readonly number[],
): Promise<Place[]> {
  const keys = ordinals.map(ordinal => ordinalKey(collection, ordinal))
  const places = keys.map(key => known.get(key))
  const unknown = keys.filter((_, index) => !places[index])
  if (unknown.length === 0) return places as Place[]
  const values = (await epoch.read(unknown)).values()
  return places.map((place, index) => {
    if (place) return place
    const { value } = values.next()
    if (!value) throw new Error('the index has an ordinal that does not exist')
    return known.set(keys[index] ?? '', decodePlace(value))
  })
}

async function readPage(
  epoch: Epoch,
  place: KeyedCollection,
  places: readonly Place[],
  mostBytes?: number,
): Promise<Pick<Found, 'documents' | 'rest'>> {
  if (places.length === 0) return { documents: [] }
  const read = async (some: readonly Place[]) => {
    const documents = await readDocuments(
      epoch,
      place,
      some.map(({ id }) => id),
    )
    const present = documents.filter(document => document !== undefined)
    if (present.length !== some.length) throw new Error('the index has a document that does not exist')
    return present
  }
  if (mostBytes === undefined) return { documents: await read(places) }
  const documents: StoredDocument[] = []
  let bytes = 0
  while (documents.length < places.length && bytes <= mostBytes) {
    for (const document of await read(places.slice(documents.length, documents.length + readTogether))) {
      documents.push(document)
      bytes += document.box.length
    }
  }
  return { documents, rest: places.slice(documents.length) }
}
