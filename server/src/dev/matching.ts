import { invalid } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { systemRandom } from '../base/random.ts'
import type { Immutable } from '../contract/types.ts'
import { KeyedDigest } from '../crypto/digest.ts'
import type {
  DevDifference,
  DevMatchedRequests,
  DevRecordedRequest,
  DevRequestPattern,
} from '../generated/dev-client/index.ts'
import { checkOperation } from './faults.ts'
import { mostMembers, redact } from './redact.ts'

type Recorded = Immutable<DevRecordedRequest>
type Pattern = Immutable<DevRequestPattern>

/** An operation whose requests are recorded. Those of `/proxy` have no path of their own. */
export interface Matchable {
  readonly id: string
  readonly path?: string
}

/** What a request carried. */
export interface Carried {
  readonly path: string
  readonly body: JsonValue | undefined
}

/** A pattern as requests are compared with it. */
interface Expected {
  readonly operation: string | undefined
  readonly status: number | undefined
  readonly path?: {
    /** Those that have this path, if it has `{id}` in the place of an id. */
    readonly operations: ReadonlySet<string>
    readonly digest: string
    readonly shown: string
  }
  /** Its marked shape. */
  readonly body?: JsonValue
}

const mostDifferences = 20

/** A shape that a pattern may have in the place of a value. */
const shape = /^(?:string|number)\(\d+\)$/

/** How much a difference outside of the body counts: a request to another operation is hardly ever the one that was meant. */
const weights: Readonly<Record<string, number>> = { operation: 100, path: 10, status: 3 }

/**
 * Finds requests by the values that they carried, without keeping these: of each request the shapes of the values and
 * their keyed digests are kept, and compared with those of a pattern.
 */
export class Matching {
  // Its values never leave the process: a seeded one would be known to all.
  readonly #digest = new KeyedDigest(systemRandom().bytes(32))
  readonly #carried = new WeakMap<Recorded, { readonly path: string; readonly body: JsonValue | undefined }>()

  /** Notes what a request carried. Returns how many characters that takes. */
  note(request: Recorded, { path, body }: Carried): number {
    const noted = {
      path: this.#digest.short(withoutSlash(path)),
      body: body === undefined ? undefined : redact(body, (of, hidden) => this.#marked(of, hidden)),
    }
    this.#carried.set(request, noted)
    return noted.path.length + (JSON.stringify(noted.body)?.length ?? 0)
  }

  /**
   * Returns the requests that match, or the one that differs least, the latest of several.
   * @throws {ServiceError} validation
   */
  match(
    requests: readonly Recorded[],
    pattern: Pattern,
    operations: readonly Matchable[],
  ): Immutable<Pick<DevMatchedRequests, 'data' | 'nearest'>> {
    const expected = this.#expected(pattern, operations)
    const data: Recorded[] = []
    let nearest: { request: Recorded; differences: DevDifference[]; weight: number } | undefined
    for (const request of requests) {
      const differences = this.#differences(request, expected)
      if (differences.length === 0) data.push(request)
      const weight = differences.reduce((sum, { member }) => sum + (weights[member] ?? 1), 0)
      if (!nearest || weight <= nearest.weight) nearest = { request, differences, weight }
    }
    if (data.length > 0 || !nearest) return { data }
    return { data, nearest: { request: nearest.request, differences: nearest.differences } }
  }

  /** @throws {ServiceError} validation */
  #expected({ operation, status, path, body }: Pattern, operations: readonly Matchable[]): Expected {
    checkOperation(
      operation,
      operations.map(({ id }) => id),
    )
    if (body !== undefined) checkMembers(body as JsonValue)
    const mark = (of: string, hidden: string) =>
      shape.test(hidden) ? `${this.#marked(of, hidden)} ${hidden}` : this.#marked(of, hidden)
    return {
      operation,
      status,
      ...(body === undefined ? {} : { body: redact(body as JsonValue, mark) }),
      ...(path === undefined
        ? {}
        : {
            path: {
              operations: new Set(operations.filter(one => one.path === path).map(({ id }) => id)),
              digest: this.#digest.short(withoutSlash(path)),
              shown: shownPath(path, operations),
            },
          }),
    }
  }

  #differences(request: Recorded, { operation, path, status, body }: Expected): DevDifference[] {
    const carried = this.#carried.get(request)
    const differences: DevDifference[] = []
    if (operation !== undefined && operation !== request.operation)
      differences.push({ member: 'operation', expected: operation, received: request.operation })
    if (path && !path.operations.has(request.operation) && path.digest !== carried?.path)
      differences.push({ member: 'path', expected: path.shown, received: request.path })
    if (status !== undefined && status !== request.status) {
      const received = String(request.status ?? 'no response')
      differences.push({ member: 'status', expected: String(status), received })
    }
    if (body !== undefined) compare(body, carried?.body, 'body', differences)
    return differences
  }

  #marked(of: string, hidden: string): string {
    return `${of} ${this.#digest.short(of, hidden)}`
  }
}

/** Adds in what `received` differs from `expected`, up to a number. Both are marked shapes. */
function compare(
  expected: JsonValue,
  received: JsonValue | undefined,
  member: string,
  found: DevDifference[],
): void {
  if (found.length >= mostDifferences) return
  if (isJsonObject(expected) && isJsonObject(received)) {
    for (const [name, value] of Object.entries(expected)) {
      const other = Object.hasOwn(received, name) ? received[name] : undefined
      compare(value, other, `${member}.${shownOf(name)}`, found)
    }
  } else if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    for (const [at, value] of expected.entries()) compare(value, received[at], `${member}.${at}`, found)
  } else if (!isSameLeaf(expected, received)) {
    const [left, right] = [shownOf(expected), shownOf(received)]
    found.push({ member, expected: left, received: left === right ? `${right}, another value` : right })
  }
}

function isSameLeaf(expected: JsonValue, received: JsonValue | undefined): boolean {
  if (typeof expected !== 'string' || typeof received !== 'string') return expected === received
  const [of, digest, stands] = expected.split(' ')
  const [receivedOf, receivedDigest] = received.split(' ')
  return (of === receivedOf && digest === receivedDigest) || stands === receivedOf
}

/** Returns how a marked shape is shown. */
function shownOf(part: JsonValue | undefined): string {
  if (part === undefined) return 'nothing'
  if (Array.isArray(part)) return `list(${part.length})`
  if (isJsonObject(part)) return 'object'
  const [of = '', , stands] = String(part).split(' ')
  return stands ?? of
}

/** A request with so many members is not recorded whole. @throws {ServiceError} validation */
function checkMembers(body: JsonValue): void {
  let members = 0
  const count = (part: JsonValue) => {
    if (typeof part !== 'object' || part === null) return
    for (const item of Object.values(part)) {
      members++
      count(item)
    }
  }
  count(body)
  if (members > mostMembers) throw invalid('body', `must have at most ${mostMembers} members`)
}

/** Anything can be put into a path: only what the contract has is shown. */
function shownPath(path: string, operations: readonly Matchable[]): string {
  const segments = new Set(operations.flatMap(one => one.path?.split('/') ?? []))
  const shown = (segment: string) => (segments.has(segment) ? segment : `string(${segment.length})`)
  return path.split('/').map(shown).join('/')
}

const withoutSlash = (path: string) => (path.length > 1 ? path.replace(/\/$/, '') : path)
