import { decideFor } from '../../access/caller.ts'
import { comparableId } from '../../base/comparable-id.ts'
import { ErrorList, invalid, refuseIfAny, ServiceError } from '../../base/errors.ts'
import { isJsonObject, type JsonValue, mapLeaves } from '../../base/json/json.ts'
import { errorPath, memberPath } from '../../base/json/member-path.ts'
import { type Dialect, describedInContract } from '../../contract/dialect.ts'
import { isDescription } from '../../contract/members.ts'
import type { CreateTokenRequest } from '../../contract/types.ts'
import { limits } from '../../generated/facts.ts'
import { identityOf } from '../../search/terms.ts'
import { isTooLarge } from '../derived.ts'
import { chooseId, type Draft, draftToken, isTakenIdFinal } from '../draft.ts'
import type { TenantTokens } from '../token-parts.ts'

/** A requested token and its draft. */
export interface Planned {
  readonly request: RequestedToken
  /** Only an id that an expression makes may change. */
  draft: Draft
  /** The number of ids that were tried before this one. */
  attempt: number
  /** The earlier token of the same payload that this one would duplicate. */
  readonly duplicateOf?: Planned
}

/** Expressions may take long, so other requests have their turn between this many drafts. */
const draftsPerTurn = 4

/**
 * Drafts every token, and finds those that duplicate another of the same payload.
 * @throws {ServiceError} validation, with the errors of all of them
 */
export async function planTokens(
  tokens: TenantTokens,
  requested: readonly RequestedToken[],
): Promise<Planned[]> {
  const errors = new ErrorList()
  const planned: Planned[] = []
  const firsts = new Map<string, Planned>()
  const givenIds = new Set<string>()
  for (const [index, request] of requested.entries()) {
    if (index % draftsPerTurn === draftsPerTurn - 1) await tokens.pass()
    await collect(errors, request.path, async () => {
      checkRequested(tokens, request)
      const draft = await draftToken(tokens, request.input)
      const identity = identityOf(draft.record) ?? ''
      const first = firsts.get(identity)
      const one: Planned = {
        request,
        draft,
        attempt: 0,
        ...(first && draft.record.deduplicate_token ? { duplicateOf: first } : {}),
      }
      planned.push(one)
      if (one.duplicateOf) return
      const isOriginal = identity !== '' && decideFor(tokens.caller, 'token:create', draft.record).allowed
      if (isOriginal && !first) firsts.set(identity, one)
      if (isTakenIdFinal(tokens, request.input.id ?? undefined)) {
        // Requirements: TKZ-505
        const id = comparableId(draft.record.id)
        if (givenIds.has(id)) throw invalid('id', 'is given to another token of this payload as well')
        givenIds.add(id)
      }
    })
    if (errors.isFull) break
  }
  errors.refuseIfAny('the payload cannot be tokenized as it is')
  return planned
}

/** Draws other ids for tokens whose expressions have made the id of another token of the same payload. */
export async function makeIdsDistinct(tokens: TenantTokens, planned: readonly Planned[]): Promise<void> {
  const stored = planned.filter(one => !one.duplicateOf)
  const isGiven = ({ request }: Planned) => isTakenIdFinal(tokens, request.input.id ?? undefined)
  const idOf = ({ draft }: Planned) => comparableId(draft.record.id)
  const ids = new Set(stored.filter(isGiven).map(idOf))
  for (const one of stored) {
    if (isGiven(one)) continue
    while (ids.has(idOf(one))) {
      await drawAnotherId(tokens, one)
      await tokens.pass()
    }
    ids.add(idOf(one))
  }
}

/** Draws another id from the same expression, and in the end a UUID. @throws {ServiceError} validation */
export async function drawAnotherId(tokens: TenantTokens, planned: Planned): Promise<void> {
  const { request, draft } = planned
  planned.attempt++
  const errors = new ErrorList()
  await collect(errors, request.path, () => {
    const { id, fresh } = chooseId(tokens, request.input, planned.attempt)
    planned.draft = { ...draft, fresh, record: { ...draft.record, id } }
  })
  errors.refuseIfAny('the payload cannot be tokenized as it is')
}

function checkRequested(tokens: TenantTokens, { input, bare }: RequestedToken): void {
  if (!bare) {
    const description = input as unknown as JsonValue
    refuseIfAny(tokens.parts.validators.check('CreateTokenRequest', description, ''), 'is not a token')
  }
  // Bodies of requests are shorter, but the result of a formula may be longer.
  if (isTooLarge(input.data)) {
    const errors = { [bare ? '' : 'data']: [`holds more than ${limits.bodyBytes} bytes`] }
    throw new ServiceError('validation', 'is too large', { errors })
  }
}

/** Adds the validation errors of `act`, below `path`. Throws any other error. */
async function collect(errors: ErrorList, path: string, act: () => void | Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation') throw error
    errors.addAll(error.errors ?? { '': [error.message] }, member => errorPath(path, member))
  }
}

/** A token that a payload asks for. */
interface RequestedToken {
  /** Of the request for it in the payload, for messages. */
  readonly path: string
  /** A description has not been checked against the contract yet. */
  readonly input: CreateTokenRequest
  /** True for a bare value, which is replaced by an id. A description is replaced by a token object. */
  readonly bare: boolean
}

interface Payload {
  /** The structure of the payload, with each token replaced by its position in `requested`. Holds no other values. */
  readonly shape: JsonValue
  readonly requested: readonly RequestedToken[]
}

/**
 * Finds the tokens that a payload asks for: an object with `type` and `data` describes one, any other value
 * except an object, an array or null is one. Null stays null.
 * @throws {ServiceError} validation, if there are too many
 */
export function readPayload(payload: JsonValue, dialect?: Dialect): Payload {
  const requested: RequestedToken[] = []
  const shape = mapLeaves(
    payload,
    (value, path) => {
      if (value === null) return null
      if (requested.length === limits.payloadTokens)
        throw invalid('body', `asks for more than ${limits.payloadTokens} tokens`)
      const bare = !isJsonObject(value)
      const at = memberPath(path)
      const described = dialect && !bare ? describedInContract(dialect, value, at) : value
      const input: unknown = bare ? { type: 'token', data: value } : described
      return requested.push({ path: at, input: input as CreateTokenRequest, bare }) - 1
    },
    value => typeof value !== 'object' || value === null || isDescription(value),
  )
  return { shape: shape ?? null, requested }
}

/** Returns the payload with each requested token replaced by its outcome. */
// Requirements: TKZ-501
export function fillShape(shape: JsonValue, outcomes: readonly JsonValue[]): JsonValue {
  const filled = mapLeaves(shape, leaf => (typeof leaf === 'number' ? (outcomes[leaf] ?? null) : leaf))
  return filled ?? null
}
