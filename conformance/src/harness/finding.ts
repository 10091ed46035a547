import { AssertionError } from 'node:assert'
import { stripVTControlCharacters } from 'node:util'
import type { Exchange } from './target.ts'

/** The source of a requirement: the core specification, or decisions of Surrogate where that is open. */
export type Profile = 'core' | 'surrogate'

/** What a finding is about. */
export interface Evidence {
  /** The response that does not meet the requirement, with its request. */
  readonly exchange?: Exchange | undefined
  /** The expected beside the found value, line by line. */
  readonly difference?: string | undefined
}

/** A response that does not meet a requirement. */
export class Finding extends Error {
  override readonly name = 'Finding'
  readonly evidence: Evidence

  constructor(message: string, { exchange, difference, ...options }: Evidence & ErrorOptions = {}) {
    super(message, options)
    this.evidence = { exchange, difference }
  }
}

/** The target cannot be reached, which says nothing about its conformance. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** A capability that the target does not have, as a running case found out. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported'
}

/** A case would use a feature that the run does not claim. */
export class NotClaimed extends NotSupported {
  readonly features: readonly string[]

  constructor(features: readonly string[]) {
    super(`not claimed: ${features.join(', ')}`)
    this.features = features
  }
}

/** @throws {Finding} with the expected and the found value, if they differ */
export function expectEqual(found: unknown, expected: unknown, what: string): void {
  const [left, right] = [canonical(found), canonical(expected)]
  if (left !== right)
    throw new Finding(`${what}: expected ${right}, found ${left}`, {
      difference: differenceOf(found, expected),
    })
}

/** Returns the lines in which two values differ: `+` before what was found, `-` before what was expected. */
function differenceOf(found: unknown, expected: unknown): string | undefined {
  if (![found, expected].some(value => typeof value === 'object' && value !== null)) return undefined
  const { message } = new AssertionError({ actual: found, expected, operator: 'deepStrictEqual' })
  const [, ...lines] = stripVTControlCharacters(message).split('\n')
  return lines.join('\n').replace('+ actual - expected', '+ found - expected').trim()
}

/** Returns JSON with sorted members, since their order has no meaning. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'nothing'
  )
}

/** Returns the members of a value that an expected value has, without those that are null. */
export function restricted(value: unknown, expected: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(expected))
    return value.map((item, index) => restricted(item, expected[index]))
  if (!isObject(value) || !isObject(expected)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || !(name in expected) ? [] : [[name, restricted(inner, expected[name])]],
    ),
  )
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
