import { ErrorList } from '../base/error-list.ts'
import { invalid, type ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json.ts'
import { joinPaths, memberPath } from '../base/member-path.ts'
import { ExpressionError, type Expressions } from '../expressions/engine.ts'
import { MalformedReference, type Piece, type Reference, readReferences } from './references.ts'

/** How many different tokens one payload may name. */
export const mostTokens = 100

/** How many references with filters there may be: as many as a mask may have expressions. */
const mostFiltered = 1_000

export interface FoundReferences {
  /** The ids that are named, each with the second readings it was seen with; `undefined` where there was none. */
  readonly named: ReadonlyMap<string, ReadonlySet<string | undefined>>
  /** The texts that name tokens, in pieces. */
  readonly texts: ReadonlyMap<string, readonly Piece[]>
}

/**
 * Reads every text of a JSON value, names of members excepted.
 * @throws {ServiceError} validation, naming every text that cannot be read
 */
export function findReferences(expressions: Expressions, json: JsonValue, root: string): FoundReferences {
  const named = new Map<string, Set<string | undefined>>()
  const texts = new Map<string, readonly Piece[]>()
  const errors = new ErrorList()
  let filtered = 0

  const note = (reference: Reference) => {
    const [id, second] = reference.ids
    const seconds = named.get(id) ?? new Set()
    named.set(id, seconds.add(second))
    if (named.size > mostTokens) throw tooManyTokens(root)
    if (reference.filters === '') return
    if (++filtered > mostFiltered) {
      throw invalid(root || 'body', `has more than ${mostFiltered} expressions with filters`)
    }
    expressions.check(templateOf(reference))
  }
  const read = (text: string) => {
    const pieces = texts.get(text) ?? readReferences(text)
    if (!pieces) return
    texts.set(text, pieces)
    for (const piece of pieces) if (typeof piece !== 'string') note(piece)
  }
  eachText(json, (text, steps) => {
    try {
      read(text)
    } catch (error) {
      errors.add(pathOf(root, steps), problemOf(error))
    }
    return !errors.isFull
  })
  errors.refuseIfAny('an expression in double braces cannot be read')
  return { named, texts }
}

// Requirements: INV-009
export function tooManyTokens(root: string): ServiceError {
  return invalid(root || 'body', `names more than ${mostTokens} different tokens`)
}

/** The template that makes of a token's data what the reference asks for. */
export function templateOf({ filters }: Reference): string {
  // The space keeps a hyphen at the end from being read as one of Liquid's `-}}`.
  return `{{ data ${filters} }}`
}

export function pathOf(root: string, steps: readonly string[]): string {
  return joinPaths(root, memberPath(steps)) || 'body'
}

/** What is wrong with an expression, for its caller; what is no such fault goes on. */
export function problemOf(error: unknown): string {
  if (error instanceof MalformedReference) return error.message
  // Its position is one in a template that the caller never saw.
  if (error instanceof ExpressionError) return error.problem
  throw error
}

/** Goes through all texts until `visit` gives false. */
function eachText(json: JsonValue, visit: (text: string, steps: readonly string[]) => boolean): void {
  const steps: string[] = []
  const walk = (value: JsonValue): boolean => {
    if (typeof value === 'string') return visit(value, steps)
    if (Array.isArray(value)) return value.every((element, index) => below(String(index), element))
    if (!isJsonObject(value)) return true
    return Object.entries(value).every(([name, member]) => below(name, member))
  }
  const below = (step: string, value: JsonValue): boolean => {
    steps.push(step)
    const goOn = walk(value)
    steps.pop()
    return goOn
  }
  walk(json)
}
