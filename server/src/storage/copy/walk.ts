import { isTenantAddress, rootTenant, tenantAt } from '../keys/keyring.ts'
import type { Digest, DocumentKind, Store, StoredDocument } from '../port.ts'

/** One kind of one tenant. */
export interface Collection {
  readonly kind: DocumentKind
  readonly tenant: string
}

const firstLimit = 32
const mostLimit = 500
const wantedBytes = 2 << 20
/** A time before every due time, so that due documents are included. */
export const beforeAll = -1
const lastUs = Number.MAX_SAFE_INTEGER - 1

/**
 * Yields all documents of a collection created at `fromUs` or later, oldest first, in pages. Includes due documents,
 * and damaged ones (version 0), of which only the address is reliable. Pages are limited by number and roughly by
 * bytes.
 *
 * Each page is a range of stamps that is estimated to hold as many documents as wanted, because an engine may count
 * all matches: it then counts one page, not the rest of the collection.
 */
export async function* walkCollection(
  store: Store,
  { kind, tenant }: Collection,
  fromUs = 0,
): AsyncGenerator<readonly StoredDocument[]> {
  const broken = new Set<Digest>()
  let limit = firstLimit
  let from = fromUs
  // The first page covers the whole collection, which mostly fits.
  let width = Number.POSITIVE_INFINITY
  let left = Number.POSITIVE_INFINITY
  const ask = () => {
    const toUs = Math.min(from + width, lastUs)
    const options = { nowMs: beforeAll, offset: 0, limit, oldestFirst: true }
    const found = store.find(kind, tenant, { op: 'created', fromUs: from, toUs }, options)
    // The consumer may stop before this page.
    found.catch(() => {})
    return { toUs, found }
  }
  for (let asked = ask(); ; ) {
    const { toUs, found } = asked
    const { total, documents } = await found
    const page = documents.filter(({ id, version }) => version > 0 || !broken.has(id))
    for (const { id, version } of page) if (version === 0) broken.add(id)
    if (total <= documents.length && toUs === lastUs) {
      if (page.length > 0) yield page
      return
    }

    left = (left === Number.POSITIVE_INFINITY ? total : left) - page.length
    const whole = documents.filter(({ version }) => version > 0)
    const newest = whole.at(-1)?.createdUs ?? -1
    const isProgress = total <= documents.length || newest >= from
    // Damaged documents have no stamp to continue after, so a page must be larger than their number.
    const next = isProgress ? limitAfter(page, limit) : 2 * limit
    if (isProgress) {
      from = total <= documents.length ? toUs + 1 : newest + 1
      if (left <= 0) width = Number.POSITIVE_INFINITY
      else if (total > documents.length) width = widthOf(whole, next)
      else width = Math.max(1, Math.floor(width * Math.min(4, next / total)))
    }
    limit = next
    // The store reads the next page while this one is being processed.
    asked = ask()
    if (page.length > 0) yield page
  }
}

/** Estimates the width of a range of stamps with `limit` documents. */
function widthOf(documents: readonly StoredDocument[], limit: number): number {
  const [first] = documents
  const last = documents.at(-1)
  if (!first || !last) return 1
  return Math.max(1, Math.floor(((last.createdUs - first.createdUs) / documents.length) * limit))
}

function limitAfter(page: readonly StoredDocument[], limit: number): number {
  const bytes = page.reduce((sum, { box }) => sum + box.length, 0)
  const fitting = Math.floor((wantedBytes * page.length) / Math.max(1, bytes))
  return page.length === 0 ? limit : Math.max(1, Math.min(fitting, 2 * limit, mostLimit))
}

/** Yields the root tenant and then every tenant, in the order of their creation. */
export async function* walkTenants(store: Store): AsyncGenerator<string> {
  yield rootTenant
  for await (const page of walkCollection(store, { kind: 'tenant', tenant: rootTenant })) {
    for (const { id } of page) if (isTenantAddress(id)) yield tenantAt(id)
  }
}
