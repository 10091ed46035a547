/** Throws a `TypeError` unless an option or argument is valid. Its message does not contain the value. */
export function mustBe(name: string, isValid: unknown, expected: string): void {
  if (!isValid) throw new TypeError(`${name} must be ${expected}`)
}

/** Returns how many characters two names share at their beginnings and ends. */
function likeness(one: string, other: string): number {
  const { length } = one
  let [start, end] = [0, 0]
  while (start < length && one[start] === other[start]) start++
  while (start + end < length && one.at(-1 - end) === other.at(-1 - end)) end++
  return start + end
}

/**
 * Throws a `TypeError` for an option that is not one of the names: a mistyped limit would be none.
 * @param mayHaveMore lets names pass that are not nearly one of them, as options may come with something else
 */
export function refuseUnknown(options: object, names: string, mayHaveMore?: boolean): void {
  const known = names.split(' ')
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const [near = ''] = [...known].sort((a, b) => likeness(b, name) - likeness(a, name))
    const isNear = 2 * likeness(near, name) > near.length
    if (isNear || !mayHaveMore)
      throw new TypeError(
        `unknown option ${name}; ${isNear ? `did you mean ${near}?` : `there are ${known.join(', ')}`}`,
      )
  }
}

/** Throws a `TypeError` if an option that often comes from the environment is missing. */
export function refuseMissing(name: string, value: unknown): asserts value {
  if (!value) throw new TypeError(`${name} is missing or empty; is its environment variable set?`)
}
