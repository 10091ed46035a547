import type { Liquid, Tokenizer as Reader, ParseStream as Stream, TagToken, TopLevelToken } from 'liquidjs'
import { didYouMean } from '../../base/near-names.ts'
import { nameOf, SyntaxFault, unexpectedText } from '../expression-error.ts'
import { Parser, ParseStream, Tokenizer, TypeGuards } from './liquidjs.ts'

const blocks = new Set(['if', 'unless', 'case', 'for', 'capture', 'liquid'])
const tagsOfAnyText = new Set(['raw', 'comment', '#'])
const tagsOfFiles = new Set(['include', 'render', 'layout', 'block', 'extends', 'section'])

/** The parser of liquidjs, which ignores text that it does not understand; ours refuses it. Made for one template. */
export class StrictParser extends Parser {
  readonly #language: Liquid
  readonly #nesting: number
  #depth = 0

  constructor(language: Liquid, nesting: number) {
    super(language)
    this.#language = language
    this.#nesting = nesting
  }

  override parseTokens(tokens: TopLevelToken[]) {
    for (const token of tokens) refuseDeepBrackets(token, this.#nesting)
    return super.parseTokens(tokens)
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]) {
    if (TypeGuards.isTagToken(token)) return this.#tag(token, rest)
    if (TypeGuards.isOutputToken(token)) {
      const { input, contentRange } = token
      const tokenizer = new Tokenizer(input, this.#language.options.operators, undefined, contentRange)
      tokenizer.readFilteredValue()
      expectEnd(tokenizer)
    }
    return super.parseToken(token, rest)
  }

  override parseStream(tokens: TopLevelToken[]) {
    return new StrictStream(tokens, (token, rest) => this.parseToken(token, rest))
  }

  #tag(token: TagToken, rest: TopLevelToken[]) {
    const { tags } = this.#language
    if (!(token.name in tags)) throw misplaced(token, Object.keys(tags))
    const depth = blocks.has(token.name) ? 1 : 0
    if (this.#depth + depth > this.#nesting) {
      throw new SyntaxFault('the blocks are nested too deeply', token.begin)
    }
    this.#depth += depth
    const tag = super.parseToken(token, rest)
    this.#depth -= depth
    if (!tagsOfAnyText.has(token.name)) expectEnd(token.tokenizer)
    return tag
  }
}

/** The branches of a block: what follows `elsif`, `when`, `else` and the name of its end. */
class StrictStream extends ParseStream<TopLevelToken> {
  #isLast = false

  override on<T>(name: string, run: (this: Stream, token: T) => void) {
    if (!name.startsWith('tag:')) return super.on(name, run as never)
    const begin = (token: TagToken) => this.#begin(token)
    const handler = function (this: Stream, token: TagToken) {
      begin(token)
      run.call(this, token as T)
      if (token.name === 'elsif') expectEnd(token.tokenizer)
    }
    return super.on(name, handler as never)
  }

  #begin({ name, begin, tokenizer }: TagToken): void {
    if (this.#isLast && !name.startsWith('end')) {
      throw new SyntaxFault(`"${name}" is not allowed after "else"`, begin)
    }
    this.#isLast = name === 'else'
    if (name === 'when') checkValues(tokenizer)
    else if (name !== 'elsif') expectEnd(tokenizer)
  }
}

/** Checks `1, 2 or 3`. */
function checkValues(tokenizer: Reader): void {
  const start = tokenizer.p
  for (;;) {
    tokenizer.readValueOrThrow()
    tokenizer.skipBlank()
    if (tokenizer.end()) break
    if (tokenizer.peek() === ',') tokenizer.advance()
    else if (tokenizer.readIdentifier().getText() !== 'or')
      throw new SyntaxFault('"," or "or" is missing', tokenizer.p)
  }
  tokenizer.p = start
}

/** @throws {SyntaxFault} if text is left: `{{ data, reveal_last: 4 }}` would otherwise reveal all of the data */
function expectEnd(tokenizer: Reader): void {
  tokenizer.skipBlank()
  if (!tokenizer.end()) throw new SyntaxFault(unexpectedText, tokenizer.p)
  const read = tokenizer.input.slice(0, tokenizer.p).trimEnd()
  if (read.endsWith('|')) throw new SyntaxFault('a filter is missing after the last "|"', read.length - 1)
}

function misplaced({ name, begin }: TagToken, names: readonly string[]): SyntaxFault {
  if (tagsOfFiles.has(name)) {
    return new SyntaxFault(`"${name}" is not supported: an expression cannot load other templates`, begin)
  }
  if (/^(end|else$|elsif$|when$)/.test(name)) {
    return new SyntaxFault(`${nameOf(name)} without an opening tag`, begin)
  }
  return new SyntaxFault(`there is no tag ${nameOf(name)}${didYouMean(name, names)}`, begin)
}

/** Nested brackets are parsed by recursion; a template must not exhaust the stack. */
function refuseDeepBrackets(token: TopLevelToken, nesting: number): void {
  if (TypeGuards.isHTMLToken(token)) return
  let depth = 0
  let quote = ''
  for (let offset = token.begin; offset < token.end; offset++) {
    const character = token.input.charAt(offset)
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\') offset++
    } else if (character === '"' || character === "'") quote = character
    else if (character === '(' || character === '[') depth++
    else if (character === ')' || character === ']') depth--
    if (depth > nesting) throw new SyntaxFault('brackets are nested too deeply', offset)
  }
}
