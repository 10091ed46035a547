import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import { didYouMean } from '../base/near-names.ts'
import type { Suspect } from '../contract/spellings.ts'
import type { RequestParameterDefinition } from '../contract/types.ts'
import { expectations, type Rest } from './arguments.ts'

/** At most so many arguments are named. */
const mostNamed = 10

/**
 * Finds arguments that a formula does not declare, as a caller has written them: they are removed. The data that an expression
 * stands for is not the caller's, who passes a whole card to a formula that declares only its number.
 */
export function undeclaredArguments(
  parameters: readonly RequestParameterDefinition[],
  args: JsonValue,
): Suspect[] {
  if (parameters.length === 0 || !isJsonObject(args)) return []
  const found: Suspect[] = []
  const expectedAt = expectations()
  const find = (object: JsonObject, rests: readonly Rest[], path: readonly string[]) => {
    const expected = expectedAt(path.join('.'), rests)
    for (const [name, value] of Object.entries(object)) {
      if (found.length === mostNamed) return
      const { exact, below = [] } = expected.get(name) ?? {}
      const own = [...path, name]
      if (!exact && below.length === 0) found.push(suspect(own, [...expected.keys()]))
      else if (!exact && isJsonObject(value)) find(value, below, own)
    }
  }
  find(
    args,
    parameters.map(parameter => ({ parameter, name: parameter.name })),
    ['args'],
  )
  return found
}

function suspect(steps: readonly string[], names: readonly string[]): Suspect {
  const path = memberPath(steps)
  const near = didYouMean(steps.at(-1) ?? '', names)
  const logged = near === '' ? memberPath([...steps.slice(0, -1), '?']) : path + near
  return { path, problem: 'undeclared', text: path + near, logged }
}
