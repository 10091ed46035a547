import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { SyntaxFault } from '../expression-error.ts'

/**
 * Parses a subset of Goessner's JSONPath and RFC 9535: `$`, `.name`, `['name']`, `[0]`, `[-1]`, `[1:3]`, `.*`,
 * `[*]`, `..name`, and the filter `[?(@.a.b < 10)]` with `== != < <= > >=`, `&&`, `||`, and a path alone, or after
 * `!`, to test that it exists or does not. No functions, unions or scripts.
 * @throws {SyntaxFault} if the path is not valid
 */
export function parsePath(path: string): PathStep[] {
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

  /** Parses `.a['b']…`. Only with `selectors` may it contain wildcards, slices, filters and `..`. */
  steps(selectors: boolean): PathStep[] {
    const steps: PathStep[] = []
    for (;;) {
      if (selectors && this.#accept('..')) {
        steps.push(everywhere(this.#accept('[') ? this.#bracket(selectors) : this.#named(selectors)))
      } else if (this.#accept('.')) steps.push(this.#named(selectors))
      else if (this.#accept('[')) steps.push(this.#bracket(selectors))
      else return steps
    }
  }

  #named(selectors: boolean): PathStep {
    if (selectors && this.#accept('*')) return children
    return memberStep(this.#match(/[\w\u0080-\uffff-]+/y) ?? this.#fail())
  }

  #bracket(selectors: boolean): PathStep {
    const step = this.#selector(selectors)
    this.#blank()
    this.expect(']')
    return step
  }

  #selector(selectors: boolean): PathStep {
    this.#blank()
    const name = this.#quoted()
    if (name !== undefined) return memberStep(name)
    if (selectors && this.#accept('*')) return children
    if (selectors && this.#accept('?')) return filterStep(this.#filter())
    const slice = selectors ? this.#match(/(-?\d{1,9})?:(-?\d{1,9})?/y) : undefined
    if (slice !== undefined) {
      const [start = '', end = ''] = slice.split(':')
      return sliceStep(start === '' ? undefined : Number(start), end === '' ? undefined : Number(end))
    }
    return indexStep(Number(this.#match(/-?\d{1,9}/y) ?? this.#fail()))
  }

  #filter(): Test {
    this.#blank()
    const inParentheses = this.#accept('(')
    const alternatives = this.#separated('||', () => this.#separated('&&', () => this.#test()))
    if (inParentheses) this.expect(')')
    return (value, spend) => alternatives.some(tests => tests.every(test => test(value, spend)))
  }

  #separated<T>(separator: string, read: () => T): T[] {
    const all = [read()]
    while (this.#accept(separator)) all.push(read())
    return all
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

  /** Parses `@.a.b` or a literal. A path that finds nothing gives undefined, which equals only undefined. */
  #operand(): Operand {
    if (this.#accept('@')) {
      const steps = this.steps(false)
      return (value, spend) => follow(value, steps, spend)[0]
    }
    const constant: JsonValue = this.#quoted() ?? JSON.parse(this.#match(plainLiteral) ?? this.#fail())
    return () => constant
  }

  /** Parses 'text' or "text", with \ before a quote or a backslash. */
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
    throw new SyntaxFault('not a JSONPath', this.#at)
  }
}

const plainLiteral = /-?(?:0|[1-9]\d{0,16})(?:\.\d{1,17})?|true|false|null/y

/** Charges one visited value. Throws if the limit is exceeded. */
type Spend = () => void

/** A step of a path: returns the values that it selects from one value. */
export type PathStep = (value: JsonValue, spend: Spend) => JsonValue[]

/** A condition on a value. */
type Test = (value: JsonValue, spend: Spend) => boolean
/** One side of a comparison in a condition. */
type Operand = (value: JsonValue, spend: Spend) => JsonValue | undefined

export function follow(root: JsonValue, steps: readonly PathStep[], spend: Spend): JsonValue[] {
  let values = [root]
  for (const step of steps) values = values.flatMap(value => step(value, spend))
  return values
}

function memberStep(name: string): PathStep {
  return (value, spend) => {
    spend()
    return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []
  }
}

/** Negative indexes count from the end. */
function indexStep(index: number): PathStep {
  return (value, spend) => {
    spend()
    const element = Array.isArray(value) ? value.at(index) : undefined
    return element === undefined ? [] : [element]
  }
}

function sliceStep(start: number | undefined, end: number | undefined): PathStep {
  return (value, spend) => {
    const elements = Array.isArray(value) ? value.slice(start, end) : []
    for (let count = elements.length; count > 0; count--) spend()
    return elements
  }
}

const children: PathStep = (value, spend) => {
  spend()
  if (typeof value !== 'object' || value === null) return []
  const values = Array.isArray(value) ? value : Object.values(value)
  for (let count = values.length; count > 0; count--) spend()
  return values
}

function filterStep(test: Test): PathStep {
  return (value, spend) => children(value, spend).filter(child => test(child, spend))
}

/** Applies a step to the value itself and to all of its descendants. */
function everywhere(step: PathStep): PathStep {
  return (value, spend) => {
    const found = step(value, spend)
    for (const child of children(value, spend)) {
      for (const value of everywhere(step)(child, spend)) found.push(value)
    }
    return found
  }
}

/** Compares two values. Only two numbers or two texts can be less or greater than each other. */
function holds(operator: string, left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  const isEqual = left === right
  if (operator === '==' || operator === '!=') return isEqual === (operator === '==')
  const ordered = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string')
  if (!ordered) return false
  return (
    (isEqual && operator.endsWith('=')) ||
    (operator.startsWith('<') ? left < (right as typeof left) : left > (right as typeof left))
  )
}
