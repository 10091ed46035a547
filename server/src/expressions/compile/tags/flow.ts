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

/** `if`, and `unless`, which negates its first condition. */
const conditional: CompileTag = (tag, parser) => {
  const first = compileFiltered(tag.tokenizer, parser.compiling)
  let applies: Evaluate = tag.name === 'if' ? first : run => !isTruthy(first(run))
  const branches: Branch[] = []
  for (;;) {
    const { body, end } = parser.block(tag, ['elsif', 'else', `end${tag.name}`])
    branches.push({ applies, body })
    if (end.name !== 'elsif') return firstOf(branches, elseBlock(tag, parser, end))
    applies = compileFiltered(end.tokenizer, parser.compiling)
  }
}

/** Compiles the block of `else`, if that is the tag that ended the one before; nothing may follow it. */
export function elseBlock(tag: TagToken, parser: TagParser, before: TagToken): Node | undefined {
  expectEnd(before.tokenizer)
  if (before.name !== 'else') return undefined
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
  const otherwise = elseBlock(tag, parser, end)
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
export const flowTags = { if: conditional, unless: conditional, case: caseTag }
