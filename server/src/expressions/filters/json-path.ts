import type { JsonValue } from '../../base/json.ts'
import { SyntaxFault } from '../expression-error.ts'
import {
  children,
  everywhere,
  filterStep,
  follow,
  holds,
  indexStep,
  memberStep,
  type Operand,
  type Step,
  sliceStep,
  type Test,
} from './json-steps.ts'

/**
 * A path in the style of Goessner's JSONPath and RFC 9535, in this subset: `$`, `.name`, `['name']`, `[0]`,
 * `[-1]`, `[1:3]`, `.*`, `[*]`, `..name`, and the filter `[?(@.a.b < 10)]` with `== != < <= > >=`, `&&`, `||`,
 * and a path alone, or after `!`, for "is there" and "is not there". No functions, unions or scripts.
 * @throws {SyntaxFault} where it is no such path
 */
export function parsePath(path: string): Step[] {
  const reader = new PathReader(path)
  reader.expect('$')
  const steps = reader.steps(true)
  reader.expectEnd()
  return steps
}

class PathReader {
  readonly #path: string
  #at = 0

  constructor(path: string) {
    this.#path = path
  }

  expect(text: string): void {
    if (!this.#accept(text)) this.#fail()
  }

  expectEnd(): void {
    if (this.#at < this.#path.length) this.#fail()
  }

  /** `.a['b']…`; wildcards, slices and filters only where they are allowed. */
  steps(anything: boolean): Step[] {
    const steps: Step[] = []
    for (;;) {
      if (anything && this.#accept('..')) {
        steps.push(everywhere(this.#accept('[') ? this.#bracket(anything) : this.#named(anything)))
      } else if (this.#accept('.')) steps.push(this.#named(anything))
      else if (this.#accept('[')) steps.push(this.#bracket(anything))
      else return steps
    }
  }

  #named(anything: boolean): Step {
    if (anything && this.#accept('*')) return children
    return memberStep(this.#match(/[\w\u0080-\uffff-]+/y) ?? this.#fail())
  }

  #bracket(anything: boolean): Step {
    const step = this.#selector(anything)
    this.#blank()
    this.expect(']')
    return step
  }

  #selector(anything: boolean): Step {
    this.#blank()
    const name = this.#quoted()
    if (name !== undefined) return memberStep(name)
    if (anything && this.#accept('*')) return children
    if (anything && this.#accept('?')) return filterStep(this.#filter())
    const slice = anything ? this.#match(/(-?\d{1,9})?:(-?\d{1,9})?/y) : undefined
    if (slice !== undefined) {
      const [start = '', end = ''] = slice.split(':')
      return sliceStep(start === '' ? undefined : Number(start), end === '' ? undefined : Number(end))
    }
    return indexStep(Number(this.#match(/-?\d{1,9}/y) ?? this.#fail()))
  }

  #filter(): Test {
    this.#blank()
    const inParentheses = this.#accept('(')
    const test = this.#alternatives()
    if (inParentheses) this.expect(')')
    return test
  }

  #alternatives(): Test {
    const tests = [this.#conjunction()]
    while (this.#accept('||')) tests.push(this.#conjunction())
    return (value, spend) => tests.some(test => test(value, spend))
  }

  #conjunction(): Test {
    const tests = [this.#test()]
    while (this.#accept('&&')) tests.push(this.#test())
    return (value, spend) => tests.every(test => test(value, spend))
  }

  #test(): Test {
    this.#blank()
    const negated = this.#accept('!')
    const left = this.#operand()
    this.#blank()
    const operator = negated ? undefined : this.#match(/==|!=|<=|>=|<|>/y)
    if (operator === undefined) return (value, spend) => (left(value, spend) !== undefined) !== negated
    this.#blank()
    const right = this.#operand()
    this.#blank()
    return (value, spend) => holds(operator, left(value, spend), right(value, spend))
  }

  /** `@.a.b`, or a literal; a path that leads nowhere gives nothing, which equals only nothing. */
  #operand(): Operand {
    if (this.#accept('@')) {
      const steps = this.steps(false)
      return (value, spend) => follow(value, steps, spend)[0]
    }
    const constant: JsonValue = this.#quoted() ?? JSON.parse(this.#match(plainLiteral) ?? this.#fail())
    return () => constant
  }

  /** 'text' or "text", with \ before a quote or a backslash. */
  #quoted(): string | undefined {
    const source = this.#match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/y)
    return source?.slice(1, -1).replace(/\\(.)/g, '$1')
  }

  #blank(): void {
    this.#match(/ +/y)
  }

  #accept(text: string): boolean {
    if (!this.#path.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#path)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #fail(): never {
    throw new SyntaxFault('cannot be read', this.#at)
  }
}

const plainLiteral = /-?(?:0|[1-9]\d{0,16})(?:\.\d{1,17})?|true|false|null/y
