import { invalid } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { systemRandom } from '../base/random.ts'
import type { Immutable } from '../contract/types.ts'
import { KeyedDigest } from '../crypto/digest.ts'
import type { DevDifference } from '../generated/dev-client/index.ts'
import { mostMembers, redact } from './redact.ts'

const mostDifferences = 20

/** A shape that a pattern may have in the place of a value. */
const shape = /^(?:string|number)\(\d+\)$/

/**
 * Shapes of bodies, with the keyed digest of each value beside its shape: they can be compared as the bodies themselves,
 * which need not be kept.
 */
export class MarkedBodies {
  // Its values never leave the process: a seeded one would be known to all.
  readonly #digest = new KeyedDigest(systemRandom().bytes(32))

  /** Returns the marked shape of a body. */
  of(body: JsonValue): JsonValue {
    return redact(body, (of, hidden) => this.#marked(of, hidden))
  }

  /** Returns the marked shape of a pattern, in which a text such as `string(16)` stands for all of this shape. */
  ofPattern(body: Immutable<JsonValue>): JsonValue {
    checkMembers(body as JsonValue)
    return redact(body as JsonValue, (of, hidden) =>
      shape.test(hidden) ? `${this.#marked(of, hidden)} ${hidden}` : this.#marked(of, hidden),
    )
  }

  /** Returns the digest of a text. */
  digest(text: string): string {
    return this.#digest.short(text)
  }

  #marked(of: string, hidden: string): string {
    return `${of} ${this.#digest.short(of, hidden)}`
  }
}

/** Adds in what `received` differs from `expected`, up to a number. Both are marked shapes. */
export function compareBodies(
  expected: JsonValue,
  received: JsonValue | undefined,
  member: string,
  found: DevDifference[],
): void {
  if (found.length >= mostDifferences) return
  if (isJsonObject(expected) && isJsonObject(received)) {
    for (const [name, value] of Object.entries(expected)) {
      const other = Object.hasOwn(received, name) ? received[name] : undefined
      compareBodies(value, other, `${member}.${shownOf(name)}`, found)
    }
  } else if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    for (const [at, value] of expected.entries()) compareBodies(value, received[at], `${member}.${at}`, found)
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
