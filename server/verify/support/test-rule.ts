import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'

/** What the rule says of an item. */
type Name = [string] | []
type Rule = (t: Assertions) => void | Promise<void>

/**
 * Tests a rule that holds for thousands of items. Its assertions are reported only if they fail: the rule is what is tested,
 * and 45,000 lines of items that keep it would hide it.
 */
export function testRule(name: string, check: Rule): void {
  void t.test(name, async t => check(new Assertions(t)))
}

/** Those of tap, without what passes. */
export class Assertions {
  readonly #t: Test

  constructor(t: Test) {
    this.#t = t
  }

  ok(found: unknown, ...name: Name): void {
    if (!found) this.#t.ok(found, ...name)
  }

  notOk(found: unknown, ...name: Name): void {
    if (found) this.#t.notOk(found, ...name)
  }

  equal(found: unknown, wanted: unknown, ...name: Name): void {
    if (found !== wanted) this.#t.equal(found, wanted, ...name)
  }

  not(found: unknown, other: unknown, ...name: Name): void {
    if (found === other) this.#t.not(found, other, ...name)
  }

  match(found: string, wanted: RegExp, ...name: Name): void {
    if (!wanted.test(found)) this.#t.match(found, wanted, ...name)
  }

  notMatch(found: string, wanted: RegExp, ...name: Name): void {
    if (wanted.test(found)) this.#t.notMatch(found, wanted, ...name)
  }

  same(found: unknown, wanted: unknown, ...name: Name): void {
    if (!isDeepStrictEqual(found, wanted)) this.#t.same(found, wanted, ...name)
  }

  strictSame(found: unknown, wanted: unknown, ...name: Name): void {
    if (!isDeepStrictEqual(found, wanted)) this.#t.strictSame(found, wanted, ...name)
  }
}
