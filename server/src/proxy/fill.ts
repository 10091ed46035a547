import type { Caller } from '../access/caller.ts'
import type { Turns } from '../base/flow/turns.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { resolveReferences } from '../tokens/payloads/detokenize.ts'
import { asText } from '../tokens/payloads/replace-references.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { readBody } from './body.ts'
import { checkHeaders, type ProxyHeaders } from './headers.ts'
import { type Part, type Target, toUrl } from './target.ts'

interface Unfilled {
  readonly target: Target
  readonly headers: ProxyHeaders
  readonly body: Uint8Array
}

/** A request as it is sent to the target. It contains data of tokens. */
export interface Filled {
  readonly url: URL
  readonly headers: ProxyHeaders
  readonly body: Uint8Array
}

/**
 * Replaces the expressions in all parts of a request by data, all at once: the limits of a payload hold for them together.
 * Data is shown as the caller's rules for `token:use` transform it, since a target may send it back to the caller.
 *
 * @throws {ServiceError} like `detokenize`; validation, for data that cannot stand where it was to be put
 */
export async function fill(
  tokens: Tokens,
  turns: Turns,
  caller: Caller,
  { target, headers, body }: Unfilled,
): Promise<Filled> {
  const read = await readBody(headers, body, () => turns.pass(caller))
  const named = Object.entries(headers).filter(([, value]) => value.includes('{{'))
  const payload = {
    path: texts(target.path),
    query: texts(target.query),
    headers: Object.fromEntries(named),
    body: read?.payload ?? null,
  }
  const filled = (await resolveReferences(tokens.of(caller), payload, 'transformed')) as typeof payload
  const filledHeaders = Object.entries(filled.headers as JsonObject).map(([name, value]) => [
    name,
    asText(value),
  ])
  const all = { ...headers, ...Object.fromEntries(filledHeaders) }
  checkHeaders(all)
  return {
    url: toUrl(target, {
      path: replaced(target.path, filled.path),
      query: replaced(target.query, filled.query),
    }),
    headers: all,
    body: read?.fill(filled.body) ?? body,
  }
}

const texts = (parts: readonly Part[]): JsonValue[] => parts.map(({ text }) => text ?? null)

const replaced = (parts: readonly Part[], values: readonly JsonValue[]) =>
  parts.map(({ text }, at) => (text === undefined ? undefined : asText(values[at] ?? null)))
