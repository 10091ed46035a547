/** Throws a `TypeError` unless an option or argument is valid. Its message does not contain the value. */
export function mustBe(name: string, isValid: unknown, expected: string): void {
  if (!isValid) throw new TypeError(`${name} must be ${expected}`)
}

/** Throws a `TypeError` if an option that often comes from the environment is missing. */
export function refuseMissing(name: string, value: unknown): asserts value {
  if (!value) throw new TypeError(`${name} is missing or empty; is its environment variable set?`)
}
