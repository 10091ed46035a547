import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenants.ts'
import { ServiceError } from '../base/errors.ts'
import { sourceOf } from '../base/merged-list.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Reactor } from '../contract/types.ts'
import { findByName, nameFilter } from '../formulas/name-filter.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import type { PrintedLine } from './console.ts'
import { existingReactor, type ReactorRecord, reactorShower } from './reactor.ts'
import type { ReactorsContext } from './reactors-context.ts'

/** Filters of a list of reactors, and its page. */
interface ReactorQuery extends PageRequest {
  readonly id?: readonly string[]
  readonly name?: string
}

/** @throws {ServiceError} not_found */
export async function readReactor(context: ReactorsContext, caller: Caller, id: string): Promise<Reactor> {
  const store = await tenantStore(context, caller.tenant)
  return reactorShower(context, store)(await existingReactor(store, id))
}

/** Lists the tenant's reactors, newest first. */
// Requirements: REA-007
export async function listReactors(
  context: ReactorsContext,
  caller: Caller,
  query: ReactorQuery,
): Promise<Page<Reactor>> {
  const store = await tenantStore(context, caller.tenant)
  const show = reactorShower(context, store)
  const { total, records } = await find(context, store, query)
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

async function find(context: ReactorsContext, store: TenantStore, query: ReactorQuery) {
  const nowMs = context.nowUs() / 1000
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

/** Returns the last lines that a reactor's formula printed. @throws {ServiceError} not_found */
export async function readPrinted(
  context: ReactorsContext,
  tenant: string,
  reactor: string,
): Promise<readonly PrintedLine[]> {
  const { value } = await existingReactor(await tenantStore(context, tenant), reactor)
  return context.console?.read(tenant, value.id) ?? []
}

/** As the contract says. */
const mostLines = 1000
const mostCharacters = 500_000

/** Returns the last lines that the formulas of a tenant's reactors printed, oldest first. */
export async function readAllPrinted(context: ReactorsContext, tenant: string): Promise<NamedLine[]> {
  const printed = context.console?.readAll(tenant) ?? new Map<string, readonly PrintedLine[]>()
  const store = await tenantStore(context, tenant)
  const reactors = await store.getMany<ReactorRecord>('reactor', [...printed.keys()])
  const lines = reactors.flatMap(record => {
    if (!record) return []
    const { id, name } = record.value
    return (printed.get(id) ?? []).map(line => ({ ...line, reactor_id: id, reactor_name: name }))
  })
  const last = lines.sort((a, b) => a.at.localeCompare(b.at)).slice(-mostLines)
  let first = last.length
  for (let room = mostCharacters; first > 0; first--) {
    room -= last[first - 1]?.text.length ?? 0
    if (room < 0) break
  }
  return last.slice(first)
}

/** A line with the reactor whose formula printed it. */
type NamedLine = PrintedLine & { readonly reactor_id: string; readonly reactor_name: string }
