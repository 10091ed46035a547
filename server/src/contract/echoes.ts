import type { ErrorObject } from 'ajv'

/**
 * A combination that fails reports itself and each of its branches. The branches of a rule that explains
 * itself would only repeat it in riddles; but where it is plain which of them was meant, what is wrong with
 * that one says more than the rule.
 */
export function withoutEchoes(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>()
  for (const [index, rule] of errors.entries()) {
    if (rule.parentSchema?.['x-violation'] === undefined) continue
    for (const echo of echoesOf(rule, branchesBefore(errors, index))) dropped.add(echo)
  }
  return errors.filter(error => !dropped.has(error) && !(error.keyword === 'if' || error.keyword === 'allOf'))
}

/** The errors of a combination's branches: the validator reports them right before its own. */
function branchesBefore(errors: readonly ErrorObject[], index: number): ErrorObject[] {
  const rule = errors[index]
  let start = index
  while (rule && start > 0 && isBranch(errors[start - 1], rule)) start--
  return errors.slice(start, index)
}

function echoesOf(rule: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
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

/** Whether the branch was not what the caller meant: they left out its member, or gave one it excludes. */
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
