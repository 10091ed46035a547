import { ClearingCache } from '../../base/cache.ts'
import { ServiceError } from '../../base/errors.ts'
import type { Matcher } from '../../contract/backend.ts'
import type { Operation } from '../../contract/contract.ts'

interface Route {
  readonly operation: Operation
  /** Path parameters as sent, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Found {
  readonly operation: Operation
  /** The names of its path parameters, by the place of their segment. */
  readonly parameters: readonly (readonly [index: number, name: string])[]
}

/** The operations at paths of one shape, by method. */
type Shape = ReadonlyMap<string, Found>

export const noSuchPath = 'there is no such path; /docs lists the paths'

const unknown: Shape = new Map()
/** Stands for a segment that is not in the contract. */
const placeholder = '-'
/** Shapes kept: paths have more only if callers combine words of the contract at random. */
const mostShapes = 1000

/**
 * Finds the operation of a request with openapi-backend's router. It builds a regular expression for each operation at
 * each request (150 µs a request with this contract), so its results are kept by the shape of a path: segments that the
 * contract does not have are alike.
 */
export class Router {
  readonly #matcher: Matcher
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #methods: readonly string[]
  /** All paths of the contract and their beginnings, as segments. */
  readonly #beginnings: ReadonlySet<string>
  readonly #literals: ReadonlySet<string>
  readonly #mostSegments: number
  readonly #shapes = new ClearingCache<string, Shape>(mostShapes)

  constructor(matcher: Matcher, operations: readonly Operation[]) {
    this.#matcher = matcher
    this.#operations = new Map(operations.map(one => [one.id, one]))
    this.#methods = [...new Set(operations.map(({ method }) => method))].sort()
    const paths = operations.map(({ path }) => segmentsOf(path))
    this.#literals = new Set(paths.flat().filter(segment => !segment.startsWith('{')))
    this.#mostSegments = Math.max(...paths.map(({ length }) => length))
    this.#beginnings = new Set(
      paths.flatMap(segments => segments.map((_, end) => segments.slice(0, end + 1).join('/'))),
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
    const shape = this.#shapeOf(given)
    const found = shape.get(method)
    if (found) {
      const parameters: Record<string, string> = {}
      for (const [index, name] of found.parameters) parameters[name] = given[index] ?? ''
      return { operation: found.operation, parameters }
    }
    if (shape.size === 0) {
      throw new ServiceError('not_found', noSuchPath)
    }
    const allowed = [...shape.keys()].join(', ')
    throw new ServiceError('method_not_allowed', `this path takes ${allowed}`, {
      headers: { Allow: allowed },
    })
  }

  #shapeOf(given: readonly string[]): Shape {
    if (given.length > this.#mostSegments) return unknown
    let key = ''
    for (const segment of given) {
      if (segment === '') return unknown
      key += `/${this.#literals.has(segment) ? segment : placeholder}`
    }
    return this.#shapes.of(key, path => this.#find(path))
  }

  #find(path: string): Shape {
    const given = segmentsOf(path)
    const found = new Map<string, Found>()
    for (const method of this.#methods) {
      const { operationId = '' } = this.#matcher.matchOperation({ method, path, headers: {} }) ?? {}
      const operation = this.#operations.get(operationId)
      if (operation && this.#fits(operation, given)) {
        found.set(method, { operation, parameters: parametersOf(operation) })
      }
    }
    return found
  }

  #fits({ path, uuidParameters }: Operation, given: readonly string[]): boolean {
    return segmentsOf(path).every((segment, index) => {
      if (!segment.startsWith('{') || !uuidParameters.includes(segment.slice(1, -1))) return true
      return !this.#beginnings.has(given.slice(0, index + 1).join('/'))
    })
  }
}

function parametersOf({ path }: Operation): Found['parameters'] {
  return segmentsOf(path).flatMap((segment, index) =>
    segment.startsWith('{') ? [[index, segment.slice(1, -1)] as const] : [],
  )
}

/** Splits a path, and ignores a slash at its end. */
// Requirements: WIR-502
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.length > 1 && segments.at(-1) === '') segments.pop()
  return segments
}
