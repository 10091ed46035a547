import { ServiceError } from '../../base/errors.ts'
import type { Operation } from '../../contract/contract.ts'

interface Route {
  readonly operation: Operation
  /** Path parameters as sent, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Pattern {
  readonly operation: Operation
  /** Of its path; a parameter is `{name}`. */
  readonly segments: readonly string[]
}

/**
 * Finds the operation of a request. openapi-backend's own router builds a regular expression for each operation at each
 * request (150 µs a request with this contract); comparing segments takes about 1 µs.
 */
export class Router {
  readonly #patterns: readonly Pattern[]
  /** All paths of the contract and their beginnings, as segments. */
  readonly #beginnings: ReadonlySet<string>

  constructor(operations: readonly Operation[]) {
    // Literals come before parameters, as letters sort before `{`.
    this.#patterns = operations
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(operation => ({ operation, segments: segmentsOf(operation.path) }))
    this.#beginnings = new Set(
      this.#patterns.flatMap(({ segments }) =>
        segments.map((_, end) => segments.slice(0, end + 1).join('/')),
      ),
    )
  }

  /**
   * Finds the route of a request. A literal segment takes precedence over a parameter if it has the method:
   * `/tokens/search` has only POST, so GET there reads the token `search`. If the parameter is a UUID, the literal is
   * never its value: `/applications/key` has only GET, so PUT there is a 405.
   * @throws {ServiceError} not_found, method_not_allowed
   */
  // Requirements: ERR-502
  match(method: string, path: string): Route {
    const given = segmentsOf(path)
    const fitting = this.#patterns.filter(
      pattern => pattern.segments.length === given.length && this.#fits(pattern, given),
    )
    const found = fitting.find(({ operation }) => operation.method === method)
    if (found) {
      const parameters: Record<string, string> = {}
      for (const [index, segment] of found.segments.entries()) {
        if (segment.startsWith('{')) parameters[segment.slice(1, -1)] = given[index] ?? ''
      }
      return { operation: found.operation, parameters }
    }
    if (fitting.length === 0) {
      throw new ServiceError('not_found', 'there is no such path; /docs lists the paths')
    }
    const allowed = [...new Set(fitting.map(({ operation }) => operation.method))].sort().join(', ')
    throw new ServiceError('method_not_allowed', `this path takes ${allowed}`, {
      headers: { Allow: allowed },
    })
  }

  #fits({ operation, segments }: Pattern, given: readonly string[]): boolean {
    return segments.every((segment, index) => {
      const value = given[index] ?? ''
      if (!segment.startsWith('{')) return segment === value
      if (!operation.uuidParameters.includes(segment.slice(1, -1))) return value !== ''
      return value !== '' && !this.#beginnings.has([...segments.slice(0, index), value].join('/'))
    })
  }
}

/** Splits a path, and ignores a slash at its end. */
// Requirements: WIR-502
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.length > 1 && segments.at(-1) === '') segments.pop()
  return segments
}
