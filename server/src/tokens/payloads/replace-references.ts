import { comparableId } from '../../base/comparable-id.ts'
import { ErrorList, invalid, type ServiceError } from '../../base/errors.ts'
import { inTurns, type Pass } from '../../base/flow/turns.ts'
import { isJsonObject, type JsonObject, type JsonValue, mapLeaves } from '../../base/json/json.ts'
import { errorPath, memberPath } from '../../base/json/member-path.ts'
import { expressionLimits } from '../../base/limits.ts'
import { ExpressionError, type Expressions } from '../../expressions/engine.ts'
import { limits } from '../../generated/facts.ts'
import { MalformedReference, type Piece, type Reference, readingOf, readReferences } from './references.ts'

export interface FoundReferences {
  /** The named ids, as they are compared. */
  readonly named: ReadonlyMap<string, NamedId>
  /** The texts that name tokens, in pieces. */
  readonly texts: ReadonlyMap<string, readonly Piece[]>
  /** True if a reference stands for a whole token. */
  readonly hasWhole: boolean
}

interface NamedId {
  /** As it was written first. */
  readonly given: string
  /** The ids to try if there is no such token, as they are compared; `undefined` stands for none. */
  readonly seconds: Set<string | undefined>
}

/**
 * Parses every text of a JSON value, except names of members.
 * @throws {ServiceError} validation, naming the texts with malformed braces
 */
export async function findReferences(
  expressions: Expressions,
  pass: Pass,
  json: JsonValue,
  root: string,
): Promise<FoundReferences> {
  const named = new Map<string, NamedId>()
  const texts = new Map<string, readonly Piece[]>()
  const errors = new ErrorList()
  let filtered = 0
  let hasWhole = false

  const note = (reference: Reference) => {
    const [given, second] = reference.ids
    const id = comparableId(given)
    const one = named.get(id) ?? { given, seconds: new Set() }
    named.set(id, one)
    one.seconds.add(second && comparableId(second))
    if (named.size > limits.payloadTokens) throw tooManyTokens(root)
    hasWhole ||= reference.whole
    if (reference.filters === '') return
    // As many as a mask may have.
    const { treeExpressions } = expressionLimits
    if (++filtered > treeExpressions) {
      throw invalid(errorPath(root), `has more than ${treeExpressions} expressions with filters`)
    }
    expressions.check(templateOf(reference))
  }
  const keep = (text: string, pieces: readonly Piece[] | undefined) => {
    if (!pieces) return
    texts.set(text, pieces)
    for (const piece of pieces) if (typeof piece !== 'string') note(piece)
  }
  for (const { text, steps } of textsIn(json)) {
    if (text === undefined) {
      await pass()
      continue
    }
    try {
      const isLong = text.length > longText && !texts.has(text)
      keep(text, texts.get(text) ?? (isLong ? await inTurns(readingOf(text), pass) : readReferences(text)))
    } catch (error) {
      errors.add(pathOf(root, steps()), problemOf(error))
    }
    if (errors.isFull) break
  }
  errors.refuseIfAny('an expression in double braces cannot be read')
  return { named, texts, hasWhole }
}

// Requirements: INV-009, INV-548
export function tooManyTokens(root: string): ServiceError {
  return invalid(errorPath(root), `names more than ${limits.payloadTokens} different tokens`)
}

/** Returns the key of a reference's value: no other id begins like that of a whole token, see `Reference`. */
export function valueKey(id: string, whole: boolean): string {
  return whole ? `token: ${comparableId(id)}` : comparableId(id)
}

/** Returns the template that applies the filters of a reference to `data`. */
function templateOf({ filters }: Reference): string {
  // The space keeps a hyphen at the end from being read as one of Liquid's `-}}`.
  return `{{ data ${filters} }}`
}

function pathOf(root: string, steps: readonly (string | number)[]): string {
  return errorPath(root, memberPath(steps))
}

/** Returns the message about an expression for its caller. Throws errors of other kinds. */
function problemOf(error: unknown): string {
  if (error instanceof MalformedReference) return error.message
  // Without the position, which is one in a template that the caller has not written.
  if (error instanceof ExpressionError) return error.problem
  throw error
}

/** A list, or an object with its names, during the walk. */
interface Level {
  readonly values: JsonObject | readonly JsonValue[]
  readonly names: readonly string[] | undefined
  /** The position of the next value. */
  index: number
}

/** After this many values, the walk lets others go first. */
const valuesPerTurn = 1_000

/** A text that is longer is read in turns. */
const longText = 16 * 1024

/** Yields all texts, and from time to time none, so that others can go first. `steps` returns the path of the text. */
function* textsIn(json: JsonValue): Generator<{ text?: string; steps: () => (string | number)[] }, void> {
  const levels: Level[] = [{ values: [json], names: undefined, index: 0 }]
  const steps = () => levels.slice(1).map(({ names, index }) => names?.[index - 1] ?? index - 1)
  for (let visited = 1; ; visited++) {
    if (visited % valuesPerTurn === 0) yield { steps }
    const level = levels.at(-1)
    if (!level) return
    const value = nextOf(level)
    if (value === undefined) levels.pop()
    else if (typeof value === 'string') yield { text: value, steps }
    else if (Array.isArray(value)) levels.push({ values: value, names: undefined, index: 0 })
    else if (isJsonObject(value)) levels.push({ values: value, names: Object.keys(value), index: 0 })
  }
}

/** Reads one value at a time: listing the values of an object of 500,000 members takes a second. */
function nextOf(level: Level): JsonValue | undefined {
  const { values, names } = level
  const step = names ? names[level.index++] : level.index++
  return step === undefined ? undefined : (values as Record<string | number, JsonValue>)[step]
}

/** The outcome of a text: the value that takes its place, or why there is none. */
type Filled = { readonly value: JsonValue; readonly bytes: number } | { readonly problem: string }

/**
 * Replaces each of `texts` in a JSON value by the value of its pieces, and lets others go first between filters.
 * @param values of the tokens, by `valueKey`
 * @throws {ServiceError} validation, for filters that fail, or an outcome that is too large
 */
// Requirements: INV-503, INV-504
export async function fillReferences(
  expressions: Expressions,
  pass: Pass,
  json: JsonValue,
  texts: ReadonlyMap<string, readonly Piece[]>,
  values: ReadonlyMap<string, JsonValue>,
  root: string,
): Promise<JsonValue> {
  const bindings = [...values.values()].map(data => ({ data }))
  const evaluate = expressions.withSharedLimits(bindings, expressionLimits.payloadSteps)
  const tooLong = () => invalid(errorPath(root), `comes to more than ${limits.detokenizedBytes} bytes`)

  const resolve = async (reference: Reference): Promise<JsonValue> => {
    const keys = reference.ids.map((id = '') => valueKey(id, reference.whole))
    const data = values.get(keys.find(key => values.has(key)) ?? '') ?? null
    if (reference.filters === '') return data
    await pass()
    return evaluate(templateOf(reference), { data })
  }
  const join = async (pieces: readonly Piece[]): Promise<string> => {
    let text = ''
    for (const [at, piece] of pieces.entries()) {
      if (at % valuesPerTurn === valuesPerTurn - 1) await pass()
      text += typeof piece === 'string' ? piece : asText(await resolve(piece))
      // Checked on the way, so that no text becomes longer than the limit. In bytes it is at least as long.
      if (text.length > limits.detokenizedBytes) throw tooLong()
    }
    return text
  }
  const filledOf = async (pieces: readonly Piece[]): Promise<Filled> => {
    const [only] = pieces
    const isWhole = pieces.length === 1 && only !== undefined && typeof only !== 'string'
    try {
      const value = isWhole ? await resolve(only) : await join(pieces)
      return { value, bytes: jsonBytes(value) }
    } catch (error) {
      return { problem: problemOf(error) }
    }
  }
  const outcomes = new Map<string, Filled>()
  let least = 0
  for (const [text, pieces] of texts) {
    if (outcomes.size % valuesPerTurn === valuesPerTurn - 1) await pass()
    const outcome = await filledOf(pieces)
    // Each text occurs at least once.
    if ('bytes' in outcome) least += outcome.bytes
    if (least > limits.detokenizedBytes) throw tooLong()
    outcomes.set(text, outcome)
  }

  const errors = new ErrorList()
  let left = limits.detokenizedBytes - jsonBytes(json)
  await pass()
  const filled = mapLeaves(json, (value, path) => {
    const outcome = typeof value === 'string' ? outcomes.get(value) : undefined
    if (!outcome) return value
    if ('problem' in outcome) {
      errors.add(pathOf(root, path), outcome.problem)
      if (errors.isFull) errors.refuseIfAny(filtersFailed)
      return null
    }
    left -= outcome.bytes - jsonBytes(value)
    if (left < 0) throw tooLong()
    return outcome.value
  })
  errors.refuseIfAny(filtersFailed)
  return filled ?? null
}

const filtersFailed = 'a filter cannot be applied'

/** Formats a value inside longer text: null is empty, objects and arrays are compact JSON. */
export function asText(value: JsonValue): string {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}

function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value))
}
