import type { ErrorObject } from 'ajv'
import { ErrorList } from '../base/error-list.ts'
import { isJsonObject, type JsonObject } from '../base/json/json.ts'
import { errorPath, memberPath } from '../base/json/member-path.ts'
import { didYouMean } from '../base/near-names.ts'
import { formats } from './formats.ts'
import { withoutRedundantErrors } from './redundant-errors.ts'

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
      return [path, params.limit === 0 ? 'must be empty' : `must have at most ${params.limit} items`]
    case 'minItems':
      return [path, `must have at least ${params.limit} items`]
    case 'maxProperties':
      return [path, `must have at most ${params.limit} entries`]
    case 'propertyNames':
      return [path, 'has an entry whose name is empty or too long']
    case 'minimum':
    case 'maximum':
      return [path, `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}`]
    case 'pattern':
      return [path, `must match ${params.pattern}`]
    default:
      return [path, error.message ?? 'is not valid']
  }
}

/** Returns the member and message of a rule that the contract explains with `x-violation`. */
function violationOf(error: ErrorObject): [string, string] | undefined {
  const schema = error.parentSchema?.['x-violation']
  if (!['not', 'oneOf', 'anyOf'].includes(error.keyword) || !isJsonObject(schema)) return undefined
  const [entry] = Object.entries(schema as JsonObject)
  return entry && [entry[0], String(entry[1])]
}

function surplusMessage({ params, parentSchema }: ErrorObject): string {
  const names = Object.keys(parentSchema?.properties ?? {})
  return `is not a member of this object${didYouMean(String(params.additionalProperty), names)}`
}

function discriminatorMessage(error: ErrorObject): string {
  if (error.params.error === 'tag') return 'is required, as a text'
  const branches: unknown = error.parentSchema?.oneOf
  const names = Array.isArray(branches)
    ? branches.map(branch => branch?.properties?.[error.params.tag]?.const).filter(name => name !== undefined)
    : []
  return names.length > 0 ? `must be one of ${names.join(', ')}` : 'is not a known value'
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
