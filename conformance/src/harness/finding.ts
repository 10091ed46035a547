/** Which of the two texts a sentence stands in: the specification's, or what it leaves open and Surrogate decides. */
export type Profile = 'core' | 'surrogate'

/** What a server answered where a requirement says something else. */
export class Finding extends Error {
  override readonly name = 'Finding'
}

/** A target that cannot be reached: says nothing about conformance. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Something that a case needs and this target does not have. Only found out while the case runs. */
export class NotSupported extends Error {
  override readonly name = 'NotSupported'
}

/** @throws {Finding} with what was expected and what came */
export function expectEqual(found: unknown, expected: unknown, what: string): void {
  const [left, right] = [canonical(found), canonical(expected)]
  if (left !== right) throw new Finding(`${what}: expected ${right}, found ${left}`)
}

/** JSON with members in one order: the order of members means nothing. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'nothing'
  )
}
