import type { Expression } from 'liquidjs'
import { compare, contains, equals } from '../comparing.ts'
import { SyntaxFault } from '../expression-error.ts'
import type { Evaluate, Run } from '../run.ts'
import { isTruthy, type Value } from '../value.ts'
import { TypeGuards } from './liquidjs.ts'
import { type Compiling, compileOperand } from './operand.ts'

/** Compiles `value`, or `value == value and not value …`, from liquidjs's postfix order. */
export function compileCondition({ postfix }: Expression, offset: number, compiling: Compiling): Evaluate {
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
