import { ServiceError } from '../base/errors.ts'
import { sourceOf } from '../base/merged-list.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Reactor } from '../contract/types.ts'
import { findByName, nameFilter } from '../formulas/name-filter.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { existingReactor, type ReactorRecord, reactorShower } from './reactor.ts'
import type { ReactorParts, TenantReactors } from './reactor-parts.ts'

/** Filters of a list of reactors, and its page. */
interface ReactorQuery extends PageRequest {
  readonly id?: readonly string[]
  readonly name?: string
}

/** @throws {ServiceError} not_found */
export async function readReactor(reactors: TenantReactors, id: string): Promise<Reactor> {
  const { parts, store } = reactors
  return reactorShower(parts, store)(await existingReactor(store, id))
}

/** Lists the tenant's reactors, newest first. */
// Requirements: REA-007
export async function listReactors(reactors: TenantReactors, query: ReactorQuery): Promise<Page<Reactor>> {
  const { parts, store } = reactors
  const show = reactorShower(parts, store)
  const { total, records } = await find(parts, store, query)
  // A reactor whose formula cannot be opened, or that is deleted at this time, must not fail the whole list.
  const shown = await Promise.all(
    records.map(record => store.readable(() => show(record)).catch(skipDeleted)),
  )
  return toPage(
    shown.filter(one => one !== undefined),
    total,
    query,
  )
}

function skipDeleted(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
}

async function find(parts: ReactorParts, store: TenantRecords, query: ReactorQuery) {
  const nowMs = parts.clock.nowUs() / 1000
  const among = store.among('reactor', query.id)
  const page = { offset: offsetOf(query), limit: query.size }
  if (query.name === undefined) return store.findReadable<ReactorRecord>('reactor', among, { nowMs, ...page })
  const places = await findByName(store, 'reactor', among, nameFilter(query.name), nowMs)
  const onPage = await sourceOf(places).page(page.offset, page.limit)
  const records = await store.getMany<ReactorRecord>(
    'reactor',
    onPage.map(({ id }) => id),
  )
  return {
    total: places.length,
    records: records.filter((record): record is OpenedRecord<ReactorRecord> => record !== undefined),
  }
}
