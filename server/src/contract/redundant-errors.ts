import type { ErrorObject } from 'ajv'

/**
 * Removes redundant errors of `oneOf`, `anyOf` and `not`. The validator reports the combination and each of its branches.
 * If the schema explains the combination (`x-violation`), the errors of its branches add nothing, unless exactly one
 * branch was meant: then its errors are kept instead of the explanation.
 */
export function withoutRedundantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>()
  for (const [index, rule] of errors.entries()) {
    if (rule.parentSchema?.['x-violation'] === undefined) continue
    for (const redundant of redundantErrorsOf(rule, branchesBefore(errors, index))) dropped.add(redundant)
  }
  return errors.filter(error => !dropped.has(error) && !(error.keyword === 'if' || error.keyword === 'allOf'))
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
