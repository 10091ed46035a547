import { type FieldErrors, invalid } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json.ts'
import { joinPaths, memberPath } from '../base/member-path.ts'
import { ExpressionError, type Expressions } from '../expressions/engine.ts'
import { refuseIfAny } from './context.ts'
import { MalformedReference, type Piece, type Reference, readReferences } from './references.ts'

/** How many different tokens one payload may name. */
const mostTokens = 100

/** How many references with filters there may be: as many as a mask may have expressions. */
const mostFiltered = 1_000

/** More errors than anyone reads are not collected. */
export const mostErrors = 100

export interface FoundReferences {
  /** One reference to each token, by the first reading of its id. */
  readonly references: ReadonlyMap<string, Reference>
  /** The texts that name tokens, in pieces. */
  readonly texts: ReadonlyMap<string, readonly Piece[]>
}

/**
 * Reads every text of a JSON value, names of members excepted.
 * @throws {ServiceError} validation, naming every text that cannot be read
 */
export function findReferences(expressions: Expressions, json: JsonValue, root: string): FoundReferences {
  const references = new Map<string, Reference>()
  const texts = new Map<string, readonly Piece[]>()
  const errors: FieldErrors = {}
  let filtered = 0

  const note = (reference: Reference) => {
    const [id] = reference.ids
    // Two spellings of one id may differ in their second reading; the one that has it can stand for both.
    if ((references.get(id)?.ids.length ?? 0) < reference.ids.length) references.set(id, reference)
    if (references.size > mostTokens) {
      throw invalid(root || 'body', `names more than ${mostTokens} different tokens`)
    }
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
      errors[pathOf(root, steps)] = [problemOf(error)]
    }
    return Object.keys(errors).length < mostErrors
  })
  refuseIfAny(errors, 'an expression in double braces cannot be read')
  return { references, texts }
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
