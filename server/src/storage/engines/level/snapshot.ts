import type { Blocks } from '../../index/bits.ts'
import { missingDocument, type Snapshot } from '../../index/search.ts'
import { type Collection, type CollectionName, collectionOf } from '../../port/collection.ts'
import type { Digest, Position, StoredDocument } from '../../port/port.ts'
import type { Epoch } from './epoch.ts'
import {
  createdFrom,
  documentKey,
  dueRange,
  type KeyRange,
  keysOfSort,
  modifiedRange,
  ordinalKey,
  ordinalOfKey,
  stampOfKey,
} from './keys.ts'
import { cutOffVersion, decodeDocument, decodeOrdinal, decodePlace } from './record.ts'
import type { State } from './state.ts'

/** A collection as an epoch has it, for a search. */
export class LevelSnapshot implements Snapshot {
  readonly #state: State
  readonly #epoch: Epoch
  readonly #place: Collection
  readonly #name: CollectionName

  /** @param epoch the present one, which the caller holds */
  constructor(state: State, epoch: Epoch, place: Collection) {
    this.#state = state
    this.#epoch = epoch
    this.#place = place
    this.#name = collectionOf(place)
  }

  blocks(terms: ReadonlySet<Digest>): Promise<Map<Digest, Blocks>> {
    return this.#state.terms.blocks(this.#epoch, this.#name, terms)
  }

  async ordinals(ids: readonly Digest[]): Promise<number[]> {
    const values = await this.#epoch.read(ids.map(id => documentKey(this.#name, id)))
    return values.flatMap(value => (value && decodeOrdinal(value)) ?? [])
  }

  modified(fromUs: number, toUs: number): Promise<number[]> {
    return this.#ordinalsIn(modifiedRange(this.#name, fromUs, toUs))
  }

  async due(nowMs: number): Promise<number[]> {
    const name = this.#name
    if (nowMs < this.#state.floorOf(name)) return []
    const ordinals = await this.#ordinalsIn(dueRange(name, Math.min(nowMs, Number.MAX_SAFE_INTEGER)))
    if (ordinals.length === 0) {
      const first = await this.#firstKey(keysOfSort(name, 'e'))
      const floorMs = first === undefined ? Number.POSITIVE_INFINITY : stampOfKey(first)
      this.#state.learnFloor(this.#epoch, name, floorMs)
    }
    return ordinals
  }

  async firstFrom(us: number): Promise<number> {
    const range = createdFrom(this.#name, Math.max(us, 0))
    const first = us > Number.MAX_SAFE_INTEGER ? undefined : await this.#firstKey(range)
    return first === undefined ? Number.POSITIVE_INFINITY : ordinalOfKey(first)
  }

  async page(ordinals: readonly number[], mostBytes: number) {
    const places = await this.#placesOf(ordinals)
    const together = mostBytes === Number.MAX_SAFE_INTEGER ? places.length : readTogether
    const documents: StoredDocument[] = []
    for (let bytes = 0; documents.length < places.length && bytes <= mostBytes; ) {
      const some = places.slice(documents.length, documents.length + together)
      const ids = some.map(({ id }) => id)
      for (const [at, found] of (await readDocuments(this.#epoch, this.#place, ids)).entries()) {
        const document = present(found)
        const { createdUs } = some[at] as Position
        documents.push(document.version === cutOffVersion ? { ...document, createdUs } : document)
        bytes += document.box.length
      }
    }
    return { documents, rest: places.slice(documents.length) }
  }

  async #ordinalsIn(range: KeyRange): Promise<number[]> {
    const ordinals: number[] = []
    for await (const keys of this.#epoch.keys(range, 1000)) {
      for (const key of keys) ordinals.push(ordinalOfKey(key))
    }
    return ordinals
  }

  async #firstKey(range: KeyRange): Promise<string | undefined> {
    for await (const [key] of this.#epoch.keys(range, 1)) return key
    return undefined
  }

  async #placesOf(ordinals: readonly number[]): Promise<Position[]> {
    const known = this.#state.places
    const keys = ordinals.map(ordinal => ordinalKey(this.#name, ordinal))
    const places = keys.map(key => known.get(key))
    const unknown = keys.filter((_, at) => !places[at])
    if (unknown.length === 0) return places as Position[]
    const values = (await this.#epoch.read(unknown)).values()
    return places.map(
      (place, at) => place ?? known.set(keys[at] as string, decodePlace(present(values.next().value))),
    )
  }
}

/** Documents that are read together where their sizes are limited. */
const readTogether = 4

type Documents = (StoredDocument | undefined)[]

/** Returns a promise only where LevelDB does: every request reads its key and application here. */
export function readDocuments(
  epoch: Epoch,
  place: Collection,
  ids: readonly Digest[],
): Documents | Promise<Documents> {
  const name = collectionOf(place)
  const decode = (values: readonly (Buffer | undefined)[]) =>
    ids.map((id, at) => {
      const value = values[at]
      return value && decodeDocument(place, id, value)
    })
  const reading = epoch.read(ids.map(id => documentKey(name, id)))
  return reading instanceof Promise ? reading.then(decode) : decode(reading)
}

/** @throws {StoreDamaged} */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw missingDocument()
  return value
}
