import type { ErrorObject } from 'ajv'
import { ErrorList } from '../base/errors.ts'
import { isJsonObject, type JsonObject } from '../base/json/json.ts'
import { errorPath, memberPath } from '../base/json/member-path.ts'
import { didYouMean } from '../base/near-names.ts'
import { formats } from './formats.ts'

/**
 * Converts errors of a validator to messages by dotted path. Messages repeat no values, and paths only those member
 * names that look like names.
 *
 * @param root replaces the part of the request with which the validator's paths begin
 */
// Requirements: ERR-507
export function listErrors(errors: readonly ErrorObject[], root?: string): ErrorList {
  const list = new ErrorList()
  for (const error of withoutRedundantErrors(errors)) {
    if (list.isFull) break
    const [path, message] = explain(error)
    list.add(joinPath(root, path), message)
  }
  return list
}

type Step = string
type Explained = readonly [path: Step[], message: string]

function explain(error: ErrorObject): Explained {
  const path = stepsOf(error.instancePath)
  const { keyword, params } = error
  const violation = violationOf(error)
  if (violation) return [[...path, violation[0]], violation[1]]
  // Schemas of ours say what would be right.
  const expected = error.parentSchema?.['x-expected']
  if (typeof expected === 'string' && !aboutMembers.has(keyword)) return [path, `must be ${expected}`]
  switch (keyword) {
    case 'required':
      return [[...path, params.missingProperty], 'is required']
    case 'additionalProperties':
      return [[...path, params.additionalProperty], surplusMessage(error)]
    case 'discriminator':
      return [[...path, params.tag], discriminatorMessage(error)]
    case 'type':
      return [path, `must be ${[params.type].flat().join(' or ')}`]
    case 'const':
      return [path, `must be ${JSON.stringify(params.allowedValue)}`]
    case 'enum':
      return [path, `must be one of ${params.allowedValues.join(', ')}`]
    case 'format':
      return [path, `must be ${formats[params.format]?.expected ?? `a ${params.format}`}`]
    case 'minLength':
      return [path, `must have at least ${params.limit} characters`]
    case 'maxLength':
      return [path, `must have at most ${params.limit} characters`]
    case 'maxItems':
      return [path, schemaViolation(error) ?? `must have at most ${params.limit} items`]
    case 'minItems':
      return [path, `must have at least ${params.limit} items`]
    case 'maxProperties':
      return [path, `must have at most ${params.limit} entries`]
    case 'propertyNames':
      return [path, 'has an entry whose name is empty or too long']
    case 'minimum':
    case 'maximum':
      return [path, boundMessage(error)]
    case 'pattern':
      return [path, patternMessage(String(params.pattern))]
    default:
      return [path, error.message ?? 'is not valid']
  }
}

/** Keywords whose errors are about a member of the value, which a text about the value does not name. */
const aboutMembers: ReadonlySet<string> = new Set(['required', 'additionalProperties'])

function boundMessage({ keyword, params, parentSchema = {} }: ErrorObject): string {
  const { minimum, maximum } = parentSchema as { minimum?: unknown; maximum?: unknown }
  if (minimum === 1000 && maximum === 9999) return 'must have four digits'
  return `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}`
}

/** Says in words what digits must match. */
function patternMessage(pattern: string): string {
  const [, count] = /^\^\[0-9\](\+|\{\d+(?:,\d+)?\})\$$/.exec(pattern) ?? []
  if (count === undefined) return `must match ${pattern}`
  const digits = count === '+' ? 'digits' : `${count.slice(1, -1).replace(',', ' to ')} digits`
  return `must be ${digits} only, without blanks`
}

/** Returns the member and message of a rule that the contract explains with `x-violation`. */
function violationOf(error: ErrorObject): [string, string] | undefined {
  const schema = error.parentSchema?.['x-violation']
  if (!['not', 'oneOf', 'anyOf'].includes(error.keyword) || !isJsonObject(schema)) return undefined
  const [entry] = Object.entries(schema as JsonObject)
  return entry && [entry[0], String(entry[1])]
}

function schemaViolation({ parentSchema }: ErrorObject): string | undefined {
  const message: unknown = parentSchema?.['x-violation']
  return typeof message === 'string' ? message : undefined
}

function surplusMessage({ params, parentSchema }: ErrorObject): string {
  const names = Object.keys(parentSchema?.properties ?? {})
  const near = didYouMean(String(params.additionalProperty), names) || `; known are ${names.join(', ')}`
  return `is not a member of this object${near}`
}

function discriminatorMessage(error: ErrorObject): string {
  if (error.params.error === 'tag') return 'is required, as a text'
  const names: unknown = error.parentSchema?.['x-tags']
  return Array.isArray(names) ? `must be one of ${names.join(', ')}` : 'is not a known value'
}

function stepsOf(pointer: string): Step[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Drops the part of the request from a path such as `/requestBody/data/number`, unless there is a root. */
function joinPath(root: string | undefined, steps: readonly Step[]): string {
  return errorPath(root ?? '', memberPath(root === undefined ? steps.slice(1) : steps))
}

/**
 * Removes redundant errors of `oneOf`, `anyOf` and `not`. The validator reports the combination and each of its branches.
 * If the schema explains the combination (`x-violation`), the errors of its branches add nothing, unless exactly one
 * branch was meant: then its errors are kept instead of the explanation.
 */
function withoutRedundantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>()
  for (const [index, rule] of errors.entries()) {
    if (rule.parentSchema?.['x-violation'] === undefined) continue
    for (const redundant of redundantErrorsOf(rule, branchesBefore(errors, index))) dropped.add(redundant)
  }
  // A check digit of what has other characters than digits says nothing.
  const unmatched = new Set(errors.flatMap(one => (one.keyword === 'pattern' ? one.instancePath : [])))
  return errors.filter(
    error =>
      !dropped.has(error) &&
      !['if', 'allOf'].includes(error.keyword) &&
      !(error.keyword === 'format' && unmatched.has(error.instancePath)),
  )
}

/** Returns the errors of a combination's branches, which the validator reports right before the combination's own. */
function branchesBefore(errors: readonly ErrorObject[], index: number): ErrorObject[] {
  const rule = errors[index]
  let start = index
  while (rule && start > 0 && isBranch(errors[start - 1], rule)) start--
  return errors.slice(start, index)
}

function redundantErrorsOf(rule: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    const [name = ''] = error.schemaPath.slice(rule.schemaPath.length + 1).split('/', 1)
    const branch = branches.get(name)
    if (branch) branch.push(error)
    else branches.set(name, [error])
  }
  const all = [...branches.values()]
  const meant = all.filter(branch => !branch.some(error => isOfAnotherShape(error, rule)))
  if (meant.length !== 1) return all.flat()
  return [rule, ...all.filter(branch => branch !== meant[0]).flat()]
}

/** True if the caller did not mean this branch: its required member is missing, or an excluded one is present. */
function isOfAnotherShape(error: ErrorObject, rule: ErrorObject): boolean {
  if (error.keyword === 'required') return error.instancePath === rule.instancePath
  return error.keyword === 'type' && error.params.type === 'null'
}

function isBranch(error: ErrorObject | undefined, combination: ErrorObject): boolean {
  return (
    error?.instancePath.startsWith(combination.instancePath) === true &&
    error.schemaPath.startsWith(`${combination.schemaPath}/`)
  )
}
