import { type Moment, missingDocument } from '../../index/search.ts'
import { type Collection, type CollectionName, collectionOf } from '../../port/collection.ts'
import type { Digest, Place, StoredDocument } from '../../port/port.ts'
import {
  createdFrom,
  documentKey,
  keysOfSort,
  modifiedRange,
  ordinalKey,
  ordinalOfKey,
  stampOfKey,
} from './keys.ts'
import { cutOffVersion, decodeDocument, decodeOrdinal, decodePlace } from './record.ts'
import type { Epoch, State } from './state.ts'

/** A collection as an epoch has it, for a search. */
export class LevelMoment implements Moment {
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

  blocks(terms: ReadonlySet<Digest>) {
    return this.#state.blocks(this.#epoch, this.#name, terms)
  }

  async ordinals(ids: readonly Digest[]): Promise<number[]> {
    const values = await this.#epoch.read(ids.map(id => documentKey(this.#name, id)))
    return values.flatMap(value => (value && decodeOrdinal(value)) ?? [])
  }

  async modified(fromUs: number, toUs: number): Promise<number[]> {
    const ordinals: number[] = []
    for await (const keys of this.#epoch.keys(modifiedRange(this.#name, fromUs, toUs), 1000)) {
      for (const key of keys) ordinals.push(ordinalOfKey(key))
    }
    return ordinals
  }

  async due(nowMs: number): Promise<number[]> {
    const ordinals: number[] = []
    if (nowMs < this.#state.floorOf(this.#name)) return ordinals
    let floorMs = Number.POSITIVE_INFINITY
    for await (const keys of this.#epoch.keys(keysOfSort(this.#name, 'e'), 256)) {
      const later = keys.findIndex(key => stampOfKey(key) > nowMs)
      for (const key of later === -1 ? keys : keys.slice(0, later)) ordinals.push(ordinalOfKey(key))
      if (later === -1) continue
      floorMs = stampOfKey(keys[later] as string)
      break
    }
    if (ordinals.length === 0) this.#state.learnFloor(this.#epoch, this.#name, floorMs)
    return ordinals
  }

  async firstFrom(us: number): Promise<number> {
    if (us > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY
    const range = createdFrom(this.#name, Math.max(us, 0))
    for await (const [key = ''] of this.#epoch.keys(range, 1)) return ordinalOfKey(key)
    return Number.POSITIVE_INFINITY
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
        const { createdUs } = some[at] as Place
        documents.push(document.version === cutOffVersion ? { ...document, createdUs } : document)
        bytes += document.box.length
      }
    }
    return { documents, rest: places.slice(documents.length) }
  }

  async #placesOf(ordinals: readonly number[]): Promise<Place[]> {
    const { places: known } = this.#state
    const keys = ordinals.map(ordinal => ordinalKey(this.#name, ordinal))
    const places = keys.map(key => known.get(key))
    const unknown = keys.filter((_, at) => !places[at])
    if (unknown.length === 0) return places as Place[]
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
