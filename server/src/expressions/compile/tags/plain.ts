import { SyntaxFault } from '../../expression-error.ts'
import { compileFiltered, expectEnd } from '../filtered.ts'
import { TypeGuards } from '../liquidjs.ts'
import { literal, output } from '../nodes.ts'
import type { CompileTag } from './tag.ts'

const raw: CompileTag = (tag, parser) => {
  let text = ''
  for (let token = parser.take(); token; token = parser.take()) {
    if (TypeGuards.isTagToken(token) && token.name === 'endraw') return literal(text)
    text += token.getText()
  }
  throw new SyntaxFault('"raw" is not closed', tag.begin)
}

const comment: CompileTag = (tag, parser) => {
  for (let token = parser.take(); token; token = parser.take()) {
    if (TypeGuards.isTagToken(token) && token.name === 'endcomment') return literal('')
  }
  throw new SyntaxFault('"comment" is not closed', tag.begin)
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

const breakTag: CompileTag = tag => {
  expectEnd(tag.tokenizer)
  return () => 'break'
}

const continueTag: CompileTag = tag => {
  expectEnd(tag.tokenizer)
  return () => 'continue'
}

/** Tags that neither branch, loop nor assign. */
export const plainTags = {
  raw,
  comment,
  '#': inlineComment,
  echo,
  liquid,
  break: breakTag,
  continue: continueTag,
}
