import type { TagToken } from 'liquidjs'
import { equals } from '../../comparing.ts'
import { SyntaxFault } from '../../expression-error.ts'
import type { Evaluate, Node } from '../../run.ts'
import { isTruthy } from '../../value.ts'
import { compileFiltered, expectEnd } from '../filtered.ts'
import { compileOperand } from '../operand.ts'
import type { CompileTag, TagParser } from './tag.ts'

interface Branch {
  readonly applies: Evaluate
  readonly body: Node
}

const ifTag: CompileTag = (tag, parser) => {
  const condition = compileFiltered(tag.tokenizer, parser.compiling)
  return conditional(tag, condition, parser)
}

const unless: CompileTag = (tag, parser) => {
  const condition = compileFiltered(tag.tokenizer, parser.compiling)
  return conditional(tag, run => !isTruthy(condition(run)), parser)
}

function conditional(tag: TagToken, first: Evaluate, parser: TagParser): Node {
  const branches: Branch[] = []
  let applies = first
  for (;;) {
    const { body, end } = parser.block(tag, ['elsif', 'else', `end${tag.name}`])
    branches.push({ applies, body })
    if (end.name === 'elsif') {
      applies = compileFiltered(end.tokenizer, parser.compiling)
      continue
    }
    expectEnd(end.tokenizer)
    return firstOf(branches, end.name === 'else' ? elseBlock(tag, parser) : undefined)
  }
}

function elseBlock(tag: TagToken, parser: TagParser): Node {
  const { body, end } = parser.block(tag, ['elsif', 'else', 'when', `end${tag.name}`])
  if (end.name !== `end${tag.name}`) {
    throw new SyntaxFault(`"${end.name}" is not allowed after "else"`, end.begin)
  }
  expectEnd(end.tokenizer)
  return body
}

function firstOf(branches: readonly Branch[], otherwise: Node | undefined): Node {
  return run => {
    for (const { applies, body } of branches) {
      run.meter.step()
      if (isTruthy(applies(run))) return body(run)
    }
    return otherwise?.(run)
  }
}

/** As in Liquid, every `when` that matches is run, and `else` only if none does. */
const caseTag: CompileTag = (tag, parser) => {
  const subject = compileFiltered(tag.tokenizer, parser.compiling)
  const branches: { readonly values: readonly Evaluate[]; readonly body: Node }[] = []
  let { end } = parser.block(tag, ['when', 'else', 'endcase'])
  while (end.name === 'when') {
    const values = whenValues(end, parser)
    const block = parser.block(tag, ['when', 'else', 'endcase'])
    branches.push({ values, body: block.body })
    end = block.end
  }
  expectEnd(end.tokenizer)
  const otherwise = end.name === 'else' ? elseBlock(tag, parser) : undefined
  return run => {
    const value = subject(run)
    let found = false
    for (const { values, body } of branches) {
      const matches = values.some(candidate => {
        run.meter.step()
        return equals(value, candidate(run), run)
      })
      if (!matches) continue
      found = true
      const signal = body(run)
      if (signal !== undefined) return signal
    }
    return found ? undefined : otherwise?.(run)
  }
}

/** Compiles the values of `when 1, 2 or 3`. */
function whenValues({ tokenizer }: TagToken, { compiling }: TagParser): Evaluate[] {
  const values: Evaluate[] = []
  for (;;) {
    values.push(compileOperand(tokenizer.readValueOrThrow(), compiling))
    tokenizer.skipBlank()
    if (tokenizer.end()) return values
    if (tokenizer.peek() === ',') tokenizer.advance()
    else if (tokenizer.readIdentifier().getText() !== 'or')
      throw new SyntaxFault('"," or "or" is missing', tokenizer.p)
  }
}

/** Tags that branch. */
export const flowTags = { if: ifTag, unless, case: caseTag }
