import { isTenantAddress, rootTenant, tenantAt } from '../keys/keyring.ts'
import type { Collection } from '../port/collection.ts'
import { documentKinds, type Engine, type StoredDocument } from '../port/port.ts'

/** Some documents of a collection, oldest first. */
export interface WalkedPage extends Collection {
  readonly documents: readonly StoredDocument[]
}

/**
 * All documents of a store or of a backup, each call from the start: the root tenant and then every tenant, in the order of
 * their creation, and of each all kinds in their order.
 */
export type Documents = () => AsyncIterable<WalkedPage>

export const documentsIn = (store: Engine): Documents =>
  async function* () {
    for await (const tenant of walkTenants(store)) {
      for (const kind of documentKinds) {
        for await (const documents of walkCollection(store, { kind, tenant }, mostOfCopy))
          yield { kind, tenant, documents }
      }
    }
  }

const firstLimit = 32
const mostLimit = 500
/** As many small ones as bytes allow: each page costs a look at every block of the collection, on PostgreSQL a read. */
const mostOfCopy = 4_000
/** Bytes of a page; it may have a few documents more, as engines read some at a time. */
const pageBytes = 2 << 20
/** A time before every due time, so that due documents are included. */
export const beforeAll = -1

/**
 * Yields all documents of a collection, oldest first, in pages. Includes due documents,
 * and damaged ones (version 0), of which only the address is reliable. Pages are limited by number and by bytes.
 * They are pages of all documents, whose number every engine knows from its blocks.
 */
export async function* walkCollection(
  store: Engine,
  { kind, tenant }: Collection,
  mostDocuments = mostLimit,
): AsyncGenerator<readonly StoredDocument[]> {
  const ask = (afterUs: number, limit: number) => {
    const options = { nowMs: beforeAll, offset: 0, limit, afterUs, oldestFirst: true, mostBytes: pageBytes }
    const found = store.find(kind, tenant, { op: 'all' }, options)
    // The consumer may stop before this page.
    found.catch(() => {})
    return found
  }
  let limit = firstLimit
  for (let asked = ask(-1, limit); ; ) {
    const { documents, rest = [] } = await asked
    const last = documents.at(-1)
    if (!last) return
    const isLast = rest.length === 0 && documents.length < limit
    limit = rest.length > 0 ? documents.length : Math.min(2 * limit, mostDocuments)
    // The store reads the next page while this one is being processed.
    if (!isLast) asked = ask(last.createdUs, limit)
    yield documents
    if (isLast) return
  }
}

/** Yields the root tenant and then every tenant, in the order of their creation. */
export async function* walkTenants(store: Engine): AsyncGenerator<string> {
  yield rootTenant
  for await (const page of walkCollection(store, { kind: 'tenant', tenant: rootTenant })) {
    for (const { id } of page) if (isTenantAddress(id)) yield tenantAt(id)
  }
}
