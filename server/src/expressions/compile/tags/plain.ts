import { SyntaxFault } from '../../expression-error.ts'
import { compileFiltered, expectEnd } from '../filtered.ts'
import { TypeGuards } from '../liquidjs.ts'
import { literal, output } from '../nodes.ts'
import type { CompileTag } from './tag.ts'

/** A tag whose block is not parsed; `toText` makes the text that it writes. */
const unparsed =
  (toText: (block: string) => string): CompileTag =>
  (tag, parser) => {
    let block = ''
    for (let token = parser.take(); token; token = parser.take()) {
      if (TypeGuards.isTagToken(token) && token.name === `end${tag.name}`) return literal(toText(block))
      block += token.getText()
    }
    throw new SyntaxFault(`"${tag.name}" is not closed`, tag.begin)
  }

const inlineComment: CompileTag = tag => {
  const [, ...lines] = tag.args.split('\n')
  if (lines.every(line => /^#|^$/.test(line.trimStart()))) return literal('')
  throw new SyntaxFault('every line of an inline comment must begin with "#"', tag.begin)
}

const echo: CompileTag = (tag, { compiling }) => {
  tag.tokenizer.skipBlank()
  return tag.tokenizer.end() ? literal('') : output(compileFiltered(tag.tokenizer, compiling), tag.begin)
}

/** `{% liquid … %}`: tags without delimiters, one on each line. */
const liquid: CompileTag = (tag, parser) => parser.nested(tag.tokenizer.readLiquidTagTokens(), tag)

const signalling =
  (signal: 'break' | 'continue'): CompileTag =>
  tag => {
    expectEnd(tag.tokenizer)
    return () => signal
  }

/** Tags that neither branch, loop nor assign. */
export const plainTags = {
  raw: unparsed(block => block),
  comment: unparsed(() => ''),
  '#': inlineComment,
  echo,
  liquid,
  break: signalling('break'),
  continue: signalling('continue'),
}
