import type { TagToken } from 'liquidjs'
import { SyntaxFault } from '../../expression-error.ts'
import { compileFiltered, expectEnd } from '../filtered.ts'
import { TypeGuards } from '../liquidjs.ts'
import type { CompileTag } from './tag.ts'

const assign: CompileTag = (tag, { compiling }) => {
  const name = variableName(tag)
  tag.tokenizer.skipBlank()
  if (tag.tokenizer.peek() !== '=') throw new SyntaxFault('"=" is missing after the name', tag.tokenizer.p)
  tag.tokenizer.advance()
  const value = compileFiltered(tag.tokenizer, compiling)
  const slot = compiling.scope.assign(name)
  return run => {
    run.isDecimal = false
    run.frame[slot] = value(run)
    run.keepDecimal(slot)
    return undefined
  }
}

const capture: CompileTag = (tag, parser) => {
  const quoted = tag.tokenizer.readQuoted()
  const name = quoted ? quoted.content : variableName(tag)
  expectEnd(tag.tokenizer)
  const { body } = parser.block(tag, ['endcapture'])
  const slot = parser.compiling.scope.assign(name)
  return run => {
    const outer = run.out
    run.out = ''
    const signal = body(run)
    run.frame[slot] = run.out
    run.out = outer
    return signal
  }
}

/** `increment` writes a counter and adds to it; `decrement` subtracts from it first. */
const counting =
  (change: 1 | -1): CompileTag =>
  (tag, { compiling }) => {
    const name = variableName(tag)
    expectEnd(tag.tokenizer)
    compiling.scope.count(name)
    return run => {
      const count = run.counter(name) ?? 0
      run.setCounter(name, count + change)
      run.write(String(Math.min(count, count + change)))
      return undefined
    }
  }

export function variableName({ tokenizer }: TagToken): string {
  const name = tokenizer.readIdentifier()
  if (!TypeGuards.isWordToken(name) || name.getText() === '') {
    throw new SyntaxFault('the name of a variable is missing', tokenizer.p)
  }
  return name.getText()
}

/** Tags that set variables. */
export const variableTags = { assign, capture, increment: counting(1), decrement: counting(-1) }
