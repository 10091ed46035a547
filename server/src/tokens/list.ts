import { deciderFor } from '../access/caller.ts'
import { invalid } from '../base/errors.ts'
import { type LongPage, offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { SearchTokensRequest, Token, TokenPermission } from '../contract/types.ts'
import { sameDigest } from '../crypto/digest.ts'
import { limits } from '../generated/facts.ts'
import { compileSearch } from '../search/compile.ts'
import { parseQuery } from '../search/parse.ts'
import { fieldTerm, metadataTerm } from '../search/terms.ts'
import { visibleTo } from '../search/visibility.ts'
import { type FindOptions, matchAll, matchAny, matchTerm, type Query } from '../storage/port/port.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { showToken } from './show.ts'
import { isExpired, type TokenRecord, withReadableCvc } from './token.ts'
import { recordReveal, type TenantTokens } from './token-parts.ts'

interface TokenFilter extends PageSelection {
  readonly id?: readonly string[]
  readonly type?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
}

export async function listTokens(
  tokens: TenantTokens,
  filter: TokenFilter,
): Promise<Page<Token> | LongPage<Token>> {
  return findTokens(tokens, 'token:read', filterQuery(tokens.store, filter), filter)
}

/** Returns a page of the tokens that match the query and for which the caller holds the permission. */
// Requirements: TOK-018, TOK-024, SEA-001, SEA-031
async function findTokens(
  tokens: TenantTokens,
  permission: TokenPermission,
  query: Query,
  selection: PageSelection,
): Promise<Page<Token> | LongPage<Token>> {
  const { request, find } = locatePage(tokens.store, selection)
  const nowUs = tokens.nowUs()
  const visible = visibleTo(tokens.store, tokens.caller, permission)
  const found = await tokens.store.findPage<TokenRecord>('token', matchAll([visible, query]), {
    nowMs: nowUs / 1000,
    principal: tokens.caller,
    ...find,
  })
  const { records, lastUs } = found
  const shown = Array.isArray(records)
    ? await showEach(tokens, permission, records)
    : showOneByOne(tokens, permission, records)
  const next =
    lastUs === undefined ? undefined : writeCursor(tokens.store, { afterUs: lastUs, page: request.page + 1 })
  return toPage(shown, found.total, request, next)
}

/**
 * Leaves out tokens that have expired, or that the caller's rights do not cover: the index by which they were found is not
 * authenticated, and long pages are read while they are sent.
 */
// Requirements: PAG-502
async function showEach(
  tokens: TenantTokens,
  permission: TokenPermission,
  records: readonly OpenedRecord<TokenRecord>[],
): Promise<Token[]> {
  const nowUs = tokens.nowUs()
  const live = records.filter(({ value }) => !isExpired(value, nowUs))
  const complete = await withReadableCvc(tokens.store, live, nowUs)
  const decide = deciderFor(tokens.caller, permission)
  const shown: Token[] = []
  const revealed: string[] = []
  // Masks may take long, so others go first before each.
  for (const token of complete) {
    const decision = decide(token.record.value)
    if (!decision.allowed) continue
    if (decision.transform === 'reveal') revealed.push(token.record.value.id)
    const passing = tokens.pass()
    if (passing) await passing
    shown.push(showToken(tokens, token, decision.transform))
  }
  await recordReveal(tokens, permission, revealed)
  return shown
}

/** Like `showEach`, for a page that is read while it is sent. */
async function* showOneByOne(
  tokens: TenantTokens,
  permission: TokenPermission,
  records: AsyncIterable<OpenedRecord<TokenRecord>>,
): AsyncGenerator<Token> {
  for await (const record of records) yield* await showEach(tokens, permission, [record])
}

// Requirements: TOK-019, TOK-020, TOK-022
function filterQuery(store: TenantRecords, filter: TokenFilter): Query {
  const { id, type, metadata = {} } = filter
  return matchAll([
    store.among('token', id),
    type ? matchAny(type.map(one => matchTerm(fieldTerm(store, 'type', one)))) : { op: 'all' },
    ...Object.entries(metadata).map(([key, value]) => matchTerm(metadataTerm(store, key, value))),
  ])
}

/** Returns a page of the matching tokens that the caller may search. @throws {ServiceError} invalid_query */
export async function searchTokens(
  tokens: TenantTokens,
  { query, page, size, start }: SearchTokensRequest,
): Promise<Page<Token> | LongPage<Token>> {
  const parsed = parseQuery(query ?? '')
  const requested = { page: page ?? undefined, size: size ?? limits.pageSize, start: start ?? undefined }
  return findTokens(tokens, 'token:search', compileSearch(tokens.store, parsed), requested)
}

/** Selects a page by its number, or by the cursor that the page before it ended with. */
interface PageSelection {
  readonly page?: number | undefined
  readonly size: number
  readonly start?: string | undefined
}

/** Returns a page as the answer names it, and as the store finds it. @throws {ServiceError} validation, for a cursor that is not valid, or one together with a page number */
function locatePage(
  store: TenantRecords,
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
function writeCursor(store: TenantRecords, { afterUs, page }: Cursor): string {
  const place = `${afterUs} ${page}`
  const digest = store.publicDigest('cursor', place).slice(0, 32)
  return Buffer.from(`${place} ${digest}`).toString('base64url')
}

function readCursor(store: TenantRecords, text: string): Cursor | undefined {
  const [, afterUs, page] =
    /^(\d{1,16}) (\d{1,16}) /.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const cursor = { afterUs: Number(afterUs), page: Number(page) }
  return sameDigest(writeCursor(store, cursor), text) ? cursor : undefined
}
