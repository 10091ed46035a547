import { type ListPosition, merge, type Source, sourceOf } from '../base/merged-list.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { ReactorFormula } from '../contract/types.ts'
import type { Dated, TenantRecords } from '../storage/records/records.ts'
import { existingFormula, findFormula, officialStore, type TenantFormulas } from './find.ts'
import { type FormulaRecord, showFormula } from './formula.ts'
import { findByName, nameFilter } from './name-filter.ts'
import { shippedFormulas } from './shipped/index.ts'

type Listed = ListPosition & { readonly record: Dated<FormulaRecord> }

interface FormulaQuery extends PageRequest {
  readonly name?: string
}

/** @throws {ServiceError} not_found */
export async function readFormulaById(formulas: TenantFormulas, id: string): Promise<ReactorFormula> {
  const { parts, caller } = formulas
  return showFormula((await existingFormula(parts, caller.tenant, id)).record)
}

/** Lists the tenant's own and the official formulas together, newest first. */
export async function listFormulas(
  formulas: TenantFormulas,
  query: FormulaQuery,
): Promise<Page<ReactorFormula>> {
  const { parts, store } = formulas
  if (query.name !== undefined) return listByName(formulas, query, nameFilter(query.name))
  const nowMs = parts.clock.nowUs() / 1000
  const own = stored(store, nowMs)
  const official = stored(await officialStore(parts), nowMs)
  const all = merge(merge(own, official), sourceOf(shippedFormulas.map(listed)))
  const page = await all.page(offsetOf(query), query.size)
  return toPage(
    page.map(({ record }) => showFormula(record)),
    await all.total(),
    query,
  )
}

async function listByName(
  formulas: TenantFormulas,
  query: FormulaQuery,
  matches: (name: string) => boolean,
): Promise<Page<ReactorFormula>> {
  const { parts, caller, store } = formulas
  const nowMs = parts.clock.nowUs() / 1000
  const stores = [store, await officialStore(parts)]
  const places: ListPosition[] = shippedFormulas.filter(({ value }) => matches(value.name)).map(listed)
  for (const store of stores)
    places.push(...(await findByName(store, 'formula', { op: 'all' }, matches, nowMs)))
  const page = await sourceOf(places).page(offsetOf(query), query.size)
  const found = await Promise.all(page.map(({ id }) => findFormula(parts, caller.tenant, id)))
  return toPage(
    found.flatMap(one => (one ? [showFormula(one.record)] : [])),
    places.length,
    query,
  )
}

function listed(record: Listed['record']): Listed {
  return { createdUs: record.createdUs, id: record.value.id, record }
}

/** The formulas of one store. No two of them have the same time. */
function stored(store: TenantRecords, nowMs: number): Source<Listed> {
  const find = (query: Parameters<TenantRecords['find']>[1], offset: number, limit: number) =>
    store.findReadable<FormulaRecord>('formula', query, { nowMs, offset, limit })
  return {
    total: async () => (await find({ op: 'all' }, 0, 0)).total,
    before: async ({ createdUs, id }) => {
      const newer = await find({ op: 'created', fromUs: createdUs + 1 }, 0, 0)
      const [equal] = (await find({ op: 'created', fromUs: createdUs, toUs: createdUs }, 0, 1)).records
      return newer.total + (equal && equal.value.id > id ? 1 : 0)
    },
    page: async (offset, limit) => (await find({ op: 'all' }, offset, limit)).records.map(listed),
  }
}
