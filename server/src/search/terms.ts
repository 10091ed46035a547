import { comparableId } from '../base/comparable-id.ts'
import { type FieldErrors, refuseIfAny } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import { type Area, areasAround, normalizeContainer } from '../contract/containers.ts'
import { ExpressionError, type Expressions } from '../expressions/engine.ts'
import type { Digest } from '../storage/port/port.ts'
import type { TenantRecords } from '../storage/records/records.ts'

/** The members of a token that searches and lists can ask for. Text is compared without case. */
interface Searchable {
  readonly id: string
  readonly type: string
  readonly containers: readonly string[]
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly fingerprint?: string | undefined
  readonly fingerprint_expression: string
  /** The evaluated search indexes. */
  readonly patterns?: readonly string[] | undefined
  readonly created_by: string
  readonly modified_by?: string | undefined
}

/** Returns the terms of everything a token can be found by, without duplicates. */
export function termsOf(store: TenantRecords, token: Searchable): Digest[] {
  const terms = new Set<Digest>()
  const add = (field: TermField, text: string) => terms.add(fieldTerm(store, field, text))
  add('type', token.type)
  add('created_by', token.created_by)
  // Addresses are exact, so an id with capitals needs a term to be found without regard to case.
  const id = comparableId(token.id)
  if (id !== id.toLowerCase()) {
    add('id', token.id)
    terms.add(capitalsTerm(store))
  }
  for (const term of containerTerms(store, token.containers)) terms.add(term)
  for (const [key, value] of Object.entries(token.metadata ?? {})) terms.add(metadataTerm(store, key, value))
  for (const pattern of token.patterns ?? []) add('data', pattern)
  if (token.fingerprint !== undefined) {
    add('fingerprint', token.fingerprint)
    terms.add(duplicateTerm(store, identityOf(token) as string))
  }
  if (token.modified_by !== undefined) add('modified_by', token.modified_by)
  return [...terms]
}

/** Members whose whole text is looked for, without regard to case. */
export type TermField = 'id' | 'type' | 'data' | 'fingerprint' | 'created_by' | 'modified_by'

// Requirements: SEA-016, SEA-025
export function fieldTerm(store: TenantRecords, field: TermField, text: string): Digest {
  return store.term(field, text.toLowerCase())
}

/** The term of tokens with capitals in their id. */
export function capitalsTerm(store: TenantRecords): Digest {
  return store.term('capitals', 'id')
}

/** Begins with the length of the key, so that no two different pairs have the same text. */
// Requirements: TOK-021, SEA-009, SEA-541
export function metadataTerm(store: TenantRecords, key: string, value: string): Digest {
  // Lower-cased separately, as the lower case of a letter may depend on the next one, and be longer.
  const [name, content] = [key.toLowerCase(), value.toLowerCase()]
  return store.term('metadata', `${name.length}:${name}${content}`)
}

/** Returns the text that two duplicates share. The fingerprint stands for their tenant and type. */
export function identityOf({
  fingerprint,
  fingerprint_expression,
}: Pick<Searchable, 'fingerprint' | 'fingerprint_expression'>): string | undefined {
  return fingerprint && `${fingerprint} ${fingerprint_expression}`
}

/**
 * The term of tokens with this identity. Separate from that of the fingerprint alone, which anybody can give to any number
 * of tokens.
 */
export function duplicateTerm(store: TenantRecords, identity: string): Digest {
  return store.term('duplicate', identity)
}

/**
 * Returns the terms that a token has because of its containers.
 *
 * A caller sees a token only if its rules cover each of its containers. With one container, its terms are enough to decide
 * that. With several, they are not, as they do not tell which of them belong to the same container. So the containers of
 * such a token are numbered from 0, and each has its terms a second time with its number. The query for what a caller
 * sees is then made from its rules alone, whatever combinations of containers exist.
 */
function containerTerms(store: TenantRecords, containers: readonly string[]): Digest[] {
  const distinct = [...new Set(containers.map(normalizeContainer))]
  const around = distinct.map(areasAround)
  const terms = around.flat().map(area => areaTerm(store, area))
  if (distinct.length < 2) return terms
  for (const area of commonTo(around)) terms.push(whollyInTerm(store, area))
  for (const [number, areas] of around.entries()) {
    if (number > 0) terms.push(moreThanTerm(store, number))
    for (const area of areas) terms.push(numberedAreaTerm(store, number, area))
  }
  return terms
}

function commonTo([first = [], ...others]: readonly Area[][]): Area[] {
  return first.filter(
    ({ path, below }) => below && others.every(other => other.some(one => one.path === path && one.below)),
  )
}

/** The term of tokens with a container in this area. */
// Requirements: SEA-010, SEA-011
export function areaTerm(store: TenantRecords, { path, below }: Area): Digest {
  return store.term(below ? 'under' : 'container', path)
}

/** The term of tokens with several containers, of which the one with this number is in this area. */
export function numberedAreaTerm(store: TenantRecords, number: number, { path, below }: Area): Digest {
  return store.term(below ? 'under-numbered' : 'container-numbered', `${number} ${path}`)
}

/** The term of tokens with several containers, all of them in this area: a caller with a single rule sees these. */
export function whollyInTerm(store: TenantRecords, { path, below }: Area): Digest {
  return store.term('containers', `${below ? 'under' : 'only'} ${path}`)
}

/** The term of tokens with more containers than this. */
export function moreThanTerm(store: TenantRecords, count: number): Digest {
  return store.term('containers', count === 1 ? 'several' : `more than ${count}`)
}

/**
 * Evaluates the search indexes of a token. Each must be a single value that is neither null nor empty.
 * @throws {ServiceError} validation, naming each expression that is not
 */
export function evaluateIndexes(
  expressions: Expressions,
  indexes: readonly string[],
  data: JsonValue,
): string[] {
  const errors: FieldErrors = {}
  // All of them share the time limit of one.
  const bindings = { data }
  const evaluate = expressions.withSharedLimits([bindings])
  const patterns = indexes.map((index, position) => {
    const outcome = evaluateIndex(() => evaluate(index, bindings))
    if (outcome.problem !== undefined) errors[`search_indexes.${position}`] = [outcome.problem]
    return outcome.pattern ?? ''
  })
  refuseIfAny(errors, 'a search index cannot be evaluated on this data')
  return [...new Set(patterns)]
}

// Requirements: SEA-026
function evaluateIndex(evaluate: () => JsonValue): { pattern?: string; problem?: string } {
  let value: JsonValue
  try {
    value = evaluate()
  } catch (error) {
    if (error instanceof ExpressionError) return { problem: error.message }
    throw error
  }
  if (value === null || value === '') return { problem: 'evaluates to null or an empty text' }
  if (typeof value === 'object')
    return { problem: 'must evaluate to a single value, not to a list or object' }
  return { pattern: String(value) }
}
