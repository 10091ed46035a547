import { invalid } from '../base/errors.ts'
import { offsetOf, type PageRequest } from '../base/page.ts'
import { sameDigest } from '../crypto/digest.ts'
import { limits } from '../generated/facts.ts'
import type { FindOptions } from '../storage/port/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'

/** Selects a page by its number, or by the cursor that the page before it ended with. */
export interface PageSelection {
  readonly page?: number | undefined
  readonly size: number
  readonly start?: string | undefined
}

/** Returns a page as the answer names it, and as the store finds it. @throws {ServiceError} validation, for a cursor that is not valid, or one together with a page number */
export function locatePage(
  store: TenantStore,
  { page, size, start }: PageSelection,
): { request: PageRequest; find: Pick<FindOptions, 'offset' | 'limit' | 'afterUs'> } {
  if (start === undefined) {
    const request = { page: page ?? limits.firstPage, size }
    return { request, find: { offset: offsetOf(request), limit: size } }
  }
  if (page !== undefined)
    throw invalid('start', 'must not be used together with page: a cursor selects the page')
  const cursor = readCursor(store, start)
  if (!cursor) throw invalid('start', 'must be the unchanged next of an earlier answer')
  return {
    request: { page: cursor.page, size },
    find: { offset: 0, limit: size, afterUs: cursor.afterUs },
  }
}

/** The start of a page: after the token created at `afterUs`. `page` is only its number in the answer. */
interface Cursor {
  readonly afterUs: number
  readonly page: number
}

/**
 * Makes a cursor. It contains the creation time of the last token of a page, which its holder was shown, and gives no
 * rights: a request with a cursor is answered by the rights of its own caller. The digest proves that we made it for
 * this tenant, so nobody can rely on its form, which may change.
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
