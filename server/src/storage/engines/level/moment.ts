import { type Moment, missingDocument } from '../../index/search.ts'
import { type Collection, type CollectionName, collectionOf } from '../../port/collection.ts'
import type { Digest, Place, StoredDocument } from '../../port/port.ts'
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
import type { Epoch, State } from './state.ts'

/** A collection as an epoch has it, for a search. @param epoch the present one, which the caller holds */
export function momentOf(state: State, epoch: Epoch, place: Collection): Moment {
  const name = collectionOf(place)
  const ordinalsIn = async (range: KeyRange) => {
    const ordinals: number[] = []
    for await (const keys of epoch.keys(range, 1000)) {
      for (const key of keys) ordinals.push(ordinalOfKey(key))
    }
    return ordinals
  }
  return {
    blocks: terms => state.blocks(epoch, name, terms),
    ordinals: async ids => {
      const values = await epoch.read(ids.map(id => documentKey(name, id)))
      return values.flatMap(value => (value && decodeOrdinal(value)) ?? [])
    },
    modified: (fromUs, toUs) => ordinalsIn(modifiedRange(name, fromUs, toUs)),
    due: async nowMs => {
      if (nowMs < state.floorOf(name)) return []
      const ordinals = await ordinalsIn(dueRange(name, Math.min(nowMs, Number.MAX_SAFE_INTEGER)))
      if (ordinals.length === 0) {
        let floorMs = Number.POSITIVE_INFINITY
        for await (const [key = ''] of epoch.keys(keysOfSort(name, 'e'), 1)) {
          floorMs = stampOfKey(key)
          break
        }
        state.learnFloor(epoch, name, floorMs)
      }
      return ordinals
    },
    firstFrom: async us => {
      if (us > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY
      for await (const [key = ''] of epoch.keys(createdFrom(name, Math.max(us, 0)), 1))
        return ordinalOfKey(key)
      return Number.POSITIVE_INFINITY
    },
    page: async (ordinals, mostBytes) => {
      const places = await placesOf(state, epoch, name, ordinals)
      const together = mostBytes === Number.MAX_SAFE_INTEGER ? places.length : readTogether
      const documents: StoredDocument[] = []
      for (let bytes = 0; documents.length < places.length && bytes <= mostBytes; ) {
        const some = places.slice(documents.length, documents.length + together)
        const ids = some.map(({ id }) => id)
        for (const [at, found] of (await readDocuments(epoch, place, ids)).entries()) {
          const document = present(found)
          const { createdUs } = some[at] as Place
          documents.push(document.version === cutOffVersion ? { ...document, createdUs } : document)
          bytes += document.box.length
        }
      }
      return { documents, rest: places.slice(documents.length) }
    },
  }
}

async function placesOf(
  { places: known }: State,
  epoch: Epoch,
  name: CollectionName,
  ordinals: readonly number[],
): Promise<Place[]> {
  const keys = ordinals.map(ordinal => ordinalKey(name, ordinal))
  const places = keys.map(key => known.get(key))
  const unknown = keys.filter((_, at) => !places[at])
  if (unknown.length === 0) return places as Place[]
  const values = (await epoch.read(unknown)).values()
  return places.map(
    (place, at) => place ?? known.set(keys[at] as string, decodePlace(present(values.next().value))),
  )
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
