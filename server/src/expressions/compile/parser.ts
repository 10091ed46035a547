import type { TagToken, TopLevelToken } from 'liquidjs'
import { didYouMean } from '../../base/near-names.ts'
import { nameOf, SyntaxFault } from '../expression-error.ts'
import type { Evaluate, Node } from '../run.ts'
import { compileFiltered } from './filtered.ts'
import { defaultOptions, Tokenizer, TypeGuards } from './liquidjs.ts'
import { literal, output, sequence } from './nodes.ts'
import type { Compiling } from './operand.ts'
import { flowTags } from './tags/flow.ts'
import { loopTags } from './tags/loops.ts'
import { plainTags } from './tags/plain.ts'
import type { Block, CompileTag, TagParser } from './tags/tag.ts'
import { variableTags } from './tags/variables.ts'

const tags: Readonly<Record<string, CompileTag>> = { ...flowTags, ...loopTags, ...plainTags, ...variableTags }
const tagsOfFiles = new Set(['include', 'render', 'layout', 'block', 'extends', 'section'])

/** Compiles the tokens of a template, with one parser for each nested block. */
export class TemplateParser implements TagParser {
  readonly compiling: Compiling
  readonly #tokens: readonly TopLevelToken[]
  readonly #nesting: number
  #next = 0

  constructor(tokens: readonly TopLevelToken[], compiling: Compiling, nesting: number) {
    this.#tokens = tokens
    this.compiling = compiling
    this.#nesting = nesting
  }

  take(): TopLevelToken | undefined {
    return this.#tokens[this.#next++]
  }

  /** Compiles the whole template, or all lines of a `liquid` tag. */
  whole(): Node[] {
    return this.#until([]).nodes
  }

  block(opener: TagToken, ends: readonly string[]): Block {
    if (this.#nesting === 0) throw new SyntaxFault('the blocks are nested too deeply', opener.begin)
    const inner = new TemplateParser(this.#tokens, this.compiling, this.#nesting - 1)
    inner.#next = this.#next
    const { nodes, end } = inner.#until(ends)
    this.#next = inner.#next
    if (!end) throw new SyntaxFault(`"${opener.name}" is not closed`, opener.begin)
    return { body: sequence(nodes), end }
  }

  nested(tokens: readonly TopLevelToken[], opener: TagToken): Node {
    if (this.#nesting === 0) throw new SyntaxFault('the blocks are nested too deeply', opener.begin)
    return sequence(new TemplateParser(tokens, this.compiling, this.#nesting - 1).whole())
  }

  #until(ends: readonly string[]): { nodes: Node[]; end?: TagToken } {
    const nodes: Node[] = []
    for (let token = this.take(); token; token = this.take()) {
      if (TypeGuards.isTagToken(token)) {
        if (ends.includes(token.name)) return { nodes, end: token }
        nodes.push(this.#tag(token))
      } else if (TypeGuards.isOutputToken(token)) {
        nodes.push(output(compileOutput(token, this.compiling), token.begin))
      } else if (TypeGuards.isHTMLToken(token)) {
        nodes.push(literal(token.getContent()))
      }
    }
    return { nodes }
  }

  #tag(token: TagToken): Node {
    const compile = Object.hasOwn(tags, token.name) ? tags[token.name] : undefined
    if (!compile) throw this.#misplaced(token)
    return compile(token, this)
  }

  #misplaced({ name, begin }: TagToken): SyntaxFault {
    if (tagsOfFiles.has(name)) {
      return new SyntaxFault(`"${name}" is not supported: an expression cannot load other templates`, begin)
    }
    if (/^(end|else$|elsif$|when$)/.test(name)) {
      return new SyntaxFault(`${nameOf(name)} without an opening tag`, begin)
    }
    return new SyntaxFault(`there is no tag ${nameOf(name)}${didYouMean(name, Object.keys(tags))}`, begin)
  }
}

/** Compiles the text between `{{` and `}}`. */
export function compileOutput(token: TopLevelToken, compiling: Compiling): Evaluate {
  const range = 'contentRange' in token ? token.contentRange : undefined
  return compileFiltered(new Tokenizer(token.input, defaultOptions.operators, undefined, range), compiling)
}
