import { ServiceError } from '../base/errors.ts'
import type { Operation } from '../contract/contract.ts'

export interface Route {
  readonly operation: Operation
  /** Path parameters as sent, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Finds the operation of a request. openapi-backend's own router builds a regular expression for each operation at each
 * request (150 µs a request with this contract); here they are built once.
 */
export class Router {
  readonly #patterns: readonly { readonly operation: Operation; readonly path: RegExp }[]

  constructor(operations: readonly Operation[]) {
    const paths = operations.map(({ path }) => path)
    // Literals come before parameters, as letters sort before `{`.
    this.#patterns = operations
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(operation => ({ operation, path: patternOf(operation, paths) }))
  }

  /**
   * Finds the route of a request. A literal segment takes precedence over a parameter if it has the method:
   * `/tokens/search` has only POST, so GET there reads the token `search`. If the parameter is a UUID, the literal is
   * never its value: `/applications/key` has only GET, so PUT there is a 405.
   * @throws {ServiceError} not_found, method_not_allowed
   */
  // Requirements: ERR-502
  match(method: string, path: string): Route {
    for (const { operation, path: pattern } of this.#patterns) {
      const found = operation.method === method ? pattern.exec(path) : null
      if (found) return { operation, parameters: found.groups ?? {} }
    }
    const others = this.#patterns.filter(pattern => pattern.path.test(path))
    if (others.length === 0) {
      throw new ServiceError('not_found', 'there is no such path; /docs lists the paths')
    }
    const allowed = [...new Set(others.map(({ operation }) => operation.method))].sort().join(', ')
    throw new ServiceError('method_not_allowed', `this path takes ${allowed}`, {
      headers: { Allow: allowed },
    })
  }
}

/** Returns a pattern with a group for each parameter. A slash at the end is ignored. */
// Requirements: WIR-502
function patternOf({ path, uuidParameters }: Operation, paths: readonly string[]): RegExp {
  const source = path.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const literals = paths
      .filter(other => other.startsWith(path.slice(0, at)) && other[at] !== '{')
      .map(other => other.slice(at).split('/', 1))
    const isUuid = uuidParameters.includes(name) && literals.length > 0
    return `${isUuid ? `(?!(?:${literals.join('|')})(?:/|$))` : ''}(?<${name}>[^/]+)`
  })
  return new RegExp(`^${source}/?$`)
}
