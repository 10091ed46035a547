import { type Caller, decideFor } from '../access/caller.ts'
import { refuseIfAny } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import { offsetOf, type Page, toPage } from '../base/page.ts'
import type { FoundToken, LookupTokensRequest } from '../contract/types.ts'
import { limits, tokenTypes } from '../generated/facts.ts'
import { duplicateTerm, identityOf } from '../search/terms.ts'
import { visibleTo } from '../search/visibility.ts'
import { matchAll, matchAny, matchTerm } from '../storage/port/port.ts'
import { fingerprintOf } from './derived.ts'
import { isExpired, type TokenRecord } from './token.ts'
import { type TenantTokens, type TokensContext, tokenAction, tokensOf } from './tokens-context.ts'

/**
 * Returns a page of the tokens that were made from this data by this expression, where the caller holds `token:lookup`.
 * Not those of other expressions: with a literal one anybody can make any fingerprint.
 * @throws {ServiceError} validation; rate_limited, as each lookup tests a guess
 */
// Requirements: TOK-551, TOK-552, TOK-553
export async function lookUpTokens(
  context: TokensContext,
  caller: Caller,
  { type, data, metadata, fingerprint_expression, page, size }: LookupTokensRequest,
): Promise<Page<FoundToken>> {
  context.lookups.demand(caller)
  const tokens = await tokensOf(context, caller)
  const wanted = {
    type,
    data,
    ...(metadata ? { metadata } : {}),
    fingerprint_expression: fingerprint_expression ?? tokenTypes[type].fingerprintExpression,
  }
  refuseIfAny(
    tokens.schemas.check('CreateTokenRequest', wanted as JsonValue, ''),
    'is not the data of a token',
  )
  const fingerprint = fingerprintOf(tokens, wanted, data)
  const request = { page: page ?? limits.firstPage, size: size ?? limits.pageSize }
  const { found, total } = await find(tokens, caller, { ...wanted, fingerprint }, request)
  const ids = found.map(({ id }) => id)
  await context.audit.record(caller.tenant, tokenAction('token:lookup', ids, caller))
  return toPage(found, total, request)
}

type Identity = Pick<TokenRecord, 'fingerprint_expression'> & { readonly fingerprint: string | undefined }

async function find(
  { store, nowUs }: TenantTokens,
  caller: Caller,
  { fingerprint, fingerprint_expression }: Identity,
  request: { readonly page: number; readonly size: number },
): Promise<{ readonly found: FoundToken[]; readonly total: number }> {
  const made = { fingerprint, fingerprint_expression }
  // None, if the expression is empty on this data: tokens of which that is true have nothing in common.
  const identities = [made, { ...made, one_way: true }].flatMap(one => identityOf(one) ?? [])
  const query = matchAll([
    visibleTo(store, caller, 'token:lookup'),
    matchAny(identities.map(identity => matchTerm(duplicateTerm(store, identity)))),
  ])
  const now = nowUs()
  const { total, records } = await store.findPage<TokenRecord>('token', query, {
    nowMs: now / 1000,
    offset: offsetOf(request),
    limit: request.size,
  })
  const found: FoundToken[] = []
  for await (const { value } of records) {
    // The index is not authenticated. Only the record itself decides.
    if (!identities.includes(identityOf(value) ?? '') || isExpired(value, now)) continue
    if (!decideFor(caller, 'token:lookup', value).allowed) continue
    found.push({ id: value.id, type: value.type, containers: value.containers })
  }
  return { found, total }
}
