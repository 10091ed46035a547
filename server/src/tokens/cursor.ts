import { invalid } from '../base/errors.ts'
import { offsetOf, type PageRequest } from '../base/page.ts'
import { sameDigest } from '../crypto/digest.ts'
import { limits } from '../generated/facts.ts'
import type { FindOptions } from '../storage/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'

/** Which page is asked for: by its number, or by the cursor that the page before it ended with. */
export interface PageSelection {
  readonly page?: number | undefined
  readonly size: number
  readonly start?: string | undefined
}

/** The page as it is answered, and where the store finds it. */
export interface LocatedPage {
  readonly request: PageRequest
  readonly find: Pick<FindOptions, 'offset' | 'limit' | 'afterUs'>
}

/** @throws {ServiceError} validation, for a cursor that is none, and for a cursor beside a page number */
export function locatePage(store: TenantStore, { page, size, start }: PageSelection): LocatedPage {
  if (start === undefined) {
    const request = { page: page ?? limits.firstPage, size }
    return { request, find: { offset: offsetOf(request), limit: size } }
  }
  if (page !== undefined) throw invalid('start', 'must not stand beside page: a cursor says which page it is')
  const cursor = readCursor(store, start)
  if (!cursor) throw invalid('start', 'must be the next of an earlier answer, as it was')
  return {
    request: { page: cursor.page, size },
    find: { offset: 0, limit: size, afterUs: cursor.afterUs },
  }
}

/** Where a page begins: behind the token created at `afterUs`. `page` is only its number in the answer. */
export interface Cursor {
  readonly afterUs: number
  readonly page: number
}

/**
 * Says nothing but when the last token of a page was created, which whoever holds it was shown. It opens
 * nothing: the request that brings it is answered by its own caller's rights. The digest makes sure that it is ours,
 * of this tenant, and unchanged, so that its form can change without anyone relying on it.
 */
export function writeCursor(store: TenantStore, { afterUs, page }: Cursor): string {
  const place = `${afterUs} ${page}`
  const digest = store.shownDigest('cursor', place).slice(0, 32)
  return Buffer.from(`${place} ${digest}`).toString('base64url')
}

function readCursor(store: TenantStore, text: string): Cursor | undefined {
  const [, afterUs, page] =
    /^(\d{1,16}) (\d{1,16}) /.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const cursor = { afterUs: Number(afterUs), page: Number(page) }
  return sameDigest(writeCursor(store, cursor), text) ? cursor : undefined
}
