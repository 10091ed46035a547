import type { Expression, Tokenizer } from 'liquidjs'
import type { JsonValue } from '../../base/json/json.ts'
import { didYouMean } from '../../base/near-names.ts'
import { compare, contains, equals } from '../comparing.ts'
import { ExpressionError, nameOf, SyntaxFault, unexpectedText } from '../expression-error.ts'
import { Unsuitable } from '../filters/filter.ts'
import type { Evaluate, Run } from '../run.ts'
import { isTruthy, toJson, type Value } from '../value.ts'
import { TypeGuards } from './liquidjs.ts'
import { type Compiling, compileOperand } from './operand.ts'

type FilteredToken = ReturnType<Tokenizer['readFilteredValue']>
type FilterToken = FilteredToken['filters'][number]

/** Compiles `value | filter: argument, …` up to the end of the tag. Refuses text that liquidjs would ignore. */
export function compileFiltered(tokenizer: Tokenizer, compiling: Compiling): Evaluate {
  const token = tokenizer.readFilteredValue()
  expectEnd(tokenizer)
  if (token.getText().trimEnd().endsWith('|')) {
    throw new SyntaxFault('a filter is missing after the last "|"', token.end - 1)
  }
  let value = compileCondition(token.initial, token.begin, compiling)
  for (const filter of token.filters) value = compileFilter(filter, value, compiling)
  return value
}

/** @throws {SyntaxFault} if text is left: `{{ data, reveal_last: 4 }}` would otherwise reveal all of the data */
export function expectEnd(tokenizer: Tokenizer): void {
  tokenizer.skipBlank()
  if (!tokenizer.end()) throw new SyntaxFault(unexpectedText, tokenizer.p)
}

function compileFilter(token: FilterToken, input: Evaluate, compiling: Compiling): Evaluate {
  const { name, begin } = token
  const filter = compiling.filters.get(name)
  if (!filter) {
    const near = didYouMean(name, [...compiling.filters.keys()])
    throw new SyntaxFault(`there is no filter ${nameOf(name)}${near}`, begin)
  }
  const positional: Evaluate[] = []
  const named: [string, Evaluate][] = []
  for (const argument of token.args) {
    if (!Array.isArray(argument)) {
      positional.push(compileOperand(argument, compiling))
      continue
    }
    const [option = '', operand] = argument
    if (!filter.named?.includes(option)) {
      throw new SyntaxFault(`${name} has no named argument ${nameOf(option)}`, begin)
    }
    if (!operand) throw new SyntaxFault(`the argument ${nameOf(option)} has no value`, begin)
    named.push([option, compileOperand(operand, compiling)])
  }
  const [least, most] = filter.takes
  if (positional.length < least || positional.length > most) {
    const count = least === most ? String(least) : `${least} to ${most}`
    throw new SyntaxFault(`${name} takes ${count} argument${count === '1' ? '' : 's'}`, begin)
  }
  return run => {
    let isDecimal = false
    const read = (evaluate: Evaluate) => {
      run.isDecimal = false
      const value = toJson(evaluate(run))
      isDecimal ||= run.isDecimal || isDecimalValue(value)
      return value
    }
    const value = read(input)
    const args = positional.map(read)
    const options = named.length === 0 ? noOptions : optionsOf(named, run)
    run.at = begin
    chargeFor(value, run)
    for (const argument of args) chargeFor(argument, run)
    let result: JsonValue
    run.isDecimal = isDecimal
    try {
      result = filter.apply(value, args, run, options)
    } catch (error) {
      throw error instanceof Unsuitable ? new ExpressionError('value', `${name} ${error.message}`) : error
    }
    run.isDecimal = isDecimal && filter.keepsDecimals === true
    chargeFor(result, run)
    return result
  }
}

/** True for numbers with a fraction, and for text of a number with a decimal point. */
const isDecimalValue = (value: JsonValue) =>
  typeof value === 'number'
    ? !Number.isInteger(value)
    : typeof value === 'string' && value.length <= 400 && /^\s*-?\d+\.\d+\s*$/.test(value)

const noOptions = {}

function optionsOf(named: readonly (readonly [string, Evaluate])[], run: Run) {
  return Object.fromEntries(named.map(([name, argument]) => [name, toJson(argument(run))]))
}

/** Charges the size of a filter's input, argument or result. */
function chargeFor(value: Value, { meter }: Run): void {
  meter.step()
  if (typeof value === 'string') {
    meter.text(value.length)
    meter.characters(value.length)
  } else if (Array.isArray(value)) {
    meter.elements(value.length)
  }
}

/** Compiles `value`, or `value == value and not value …`, from liquidjs's postfix order. */
function compileCondition({ postfix }: Expression, offset: number, compiling: Compiling): Evaluate {
  if (postfix.length > compiling.operands) {
    throw new SyntaxFault(`more than ${compiling.operands} operands and operators in one condition`, offset)
  }
  const stack: Evaluate[] = []
  for (const token of postfix) {
    if (!TypeGuards.isOperatorToken(token)) {
      stack.push(compileOperand(token, compiling))
      continue
    }
    const right = stack.pop()
    const left = token.operator === 'not' ? right : stack.pop()
    const operator = operators[token.operator]
    if (!left || !right || !operator)
      throw new SyntaxFault('a value is missing next to an operator', token.begin)
    stack.push(run => {
      run.meter.step()
      return operator(left, right, run)
    })
  }
  const [value, extra] = stack
  if (!value || extra) throw new SyntaxFault('not a single value; an operator or "|" may be missing', offset)
  return value
}

type Operator = (left: Evaluate, right: Evaluate, run: Run) => boolean

const operators: Record<string, Operator> = {
  // Both sides are always evaluated, as in liquidjs, so that an error on the right is always reported.
  and: (left, right, run) => both(left, right, run, (a, b) => isTruthy(a) && isTruthy(b)),
  or: (left, right, run) => both(left, right, run, (a, b) => isTruthy(a) || isTruthy(b)),
  not: (_, right, run) => !isTruthy(right(run)),
  '==': (left, right, run) => both(left, right, run, (a, b) => equals(a, b, run)),
  '!=': (left, right, run) => both(left, right, run, (a, b) => !equals(a, b, run)),
  '<': (left, right, run) => both(left, right, run, (a, b) => compare(a, b, run) < 0),
  '>': (left, right, run) => both(left, right, run, (a, b) => compare(a, b, run) > 0),
  '<=': (left, right, run) => both(left, right, run, (a, b) => compare(a, b, run) <= 0),
  '>=': (left, right, run) => both(left, right, run, (a, b) => compare(a, b, run) >= 0),
  contains: (left, right, run) => both(left, right, run, (a, b) => contains(a, b, run)),
}

function both(left: Evaluate, right: Evaluate, run: Run, decide: (a: Value, b: Value) => boolean): boolean {
  return decide(left(run), right(run))
}
