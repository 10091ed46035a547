import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenant-settings.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { LongPage, Page } from '../base/page.ts'
import type {
  CreateTokenRequest,
  SearchTokensRequest,
  Token,
  TokenizedPayload,
  UpdateTokenRequest,
} from '../contract/types.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { type CreatedToken, createToken } from './create.ts'
import { deleteToken, eraseExpired } from './erase.ts'
import { listTokens, searchTokens, type TokenFilter } from './list.ts'
import { demandReferences, detokenize, type Resolution, resolveReferences } from './payloads/detokenize.ts'
import { type RecordedTokens, type ShowRecordedOptions, showRecorded } from './payloads/recorded-tokens.ts'
import { type TokenizeOptions, tokenize } from './payloads/tokenize.ts'
import { readToken } from './read.ts'
import type { TokenRecord } from './token.ts'
import { TenantTokens, type TokenParts } from './token-parts.ts'
import { type RecordedUpdate, readUpdated, updateToken } from './update.ts'

/** The tokens of all tenants. Each verb is a function in a file of its own, about the tokens of one tenant. */
export class Tokens {
  readonly #parts: TokenParts

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  create(
    caller: Caller,
    input: CreateTokenRequest,
    receipt?: Receipt<{ readonly details: RecordedTokens }>,
  ): Promise<CreatedToken> {
    return this.#with(caller, tokens => createToken(tokens, caller, input, receipt))
  }

  list(caller: Caller, filter: TokenFilter): Promise<Page<Token> | LongPage<Token>> {
    return this.#with(caller, tokens => listTokens(tokens, caller, filter))
  }

  search(caller: Caller, input: SearchTokensRequest): Promise<Page<Token> | LongPage<Token>> {
    return this.#with(caller, tokens => searchTokens(tokens, caller, input))
  }

  read(caller: Caller, id: string): Promise<Token> {
    return this.#with(caller, tokens => readToken(tokens, caller, id))
  }

  update(
    caller: Caller,
    id: string,
    input: UpdateTokenRequest,
    receipt?: Receipt<RecordedUpdate>,
  ): Promise<Token> {
    return this.#with(caller, tokens => updateToken(tokens, caller, id, input, receipt))
  }

  delete(caller: Caller, id: string): Promise<void> {
    return this.#with(caller, tokens => deleteToken(tokens, caller, id))
  }

  tokenize(caller: Caller, payload: JsonValue, options?: TokenizeOptions): Promise<TokenizedPayload> {
    return this.#with(caller, tokens => tokenize(tokens, caller, payload, options))
  }

  detokenize(caller: Caller, payload: JsonValue): Promise<JsonValue> {
    return this.#with(caller, tokens => detokenize(tokens, caller, payload))
  }

  resolve(caller: Caller, json: JsonValue, how: Resolution, root?: string): Promise<JsonValue> {
    return this.#with(caller, tokens => resolveReferences(tokens, caller, json, how, root))
  }

  demandReferences(caller: Caller, json: JsonValue, root: string): Promise<void> {
    return this.#with(caller, tokens => demandReferences(tokens, caller, json, root))
  }

  /** Reads the answer to an earlier update again. */
  readUpdated(
    caller: Caller,
    id: string,
    input: UpdateTokenRequest,
    recorded: RecordedUpdate,
  ): Promise<Token> {
    return this.#with(caller, tokens => readUpdated(tokens, caller, id, input, recorded))
  }

  /** Shows the tokens of an earlier answer. */
  showRecorded(
    caller: Caller,
    recorded: RecordedTokens,
    options?: ShowRecordedOptions,
  ): Promise<TokenizedPayload> {
    return this.#with(caller, tokens => showRecorded(tokens, caller, recorded, options))
  }

  eraseExpired(store: TenantStore, token: OpenedRecord<TokenRecord>): Promise<boolean> {
    return eraseExpired(new TenantTokens(this.#parts, store), token)
  }

  #with<T>(caller: Caller, verb: (tokens: TenantTokens) => Promise<T>): Promise<T> {
    const parts = this.#parts
    const store = parts.records.opened(caller.tenant)
    if (store) return verb(new TenantTokens(parts, store, caller))
    return tenantStore(parts.records, caller.tenant).then(opened =>
      verb(new TenantTokens(parts, opened, caller)),
    )
  }
}
