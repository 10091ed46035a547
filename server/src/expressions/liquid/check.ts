import type { Value as FilteredValue, PropertyAccessToken, QuotedToken, Template, Token } from 'liquidjs'
import { didYouMean } from '../../base/near-names.ts'
import { nameOf, SyntaxFault } from '../expression-error.ts'
import { allFilters } from '../filters/index.ts'
import { Decimal } from '../value.ts'
import { boundRange } from './amend.ts'
import { TypeGuards, toValueSync, Value } from './liquidjs.ts'

type Names = readonly string[]

/**
 * Checks all values of parsed templates: their operands, filters and variables. Replaces those whose meaning or limits
 * differ in liquidjs: ranges, and numbers written with a decimal point.
 */
export class TemplateChecker {
  readonly #operands: number
  readonly #assigned = new Set(['data', 'metadata'])
  readonly #mentions: { readonly name: string; readonly offset: number }[] = []

  constructor(operands: number) {
    this.#operands = operands
  }

  /** @throws {SyntaxFault} */
  check(templates: readonly Template[]): void {
    this.#templates(templates, [])
    for (const { name, offset } of this.#mentions) {
      if (this.#assigned.has(name)) continue
      throw new SyntaxFault(
        `there is no variable ${nameOf(name)}; use data, metadata or a variable that the expression assigns`,
        offset,
      )
    }
  }

  #templates(templates: readonly Template[], loops: Names): void {
    for (const template of templates) {
      const names = template.blockScope ? [...loops, ...template.blockScope()] : loops
      // `offset: continue` reads where the last such loop ended.
      const around = template.blockScope ? [...loops, 'continue'] : loops
      for (const argument of template.arguments?.() ?? []) {
        if (argument instanceof Value) this.#filtered(argument, around)
        // liquidjs takes an option without a value, such as `reversed`, for an argument.
        else if (argument) this.#operand(argument, around)
      }
      for (const name of template.localScope?.() ?? []) this.#assigned.add(name.content)
      if (template.children) this.#templates(toValueSync(template.children(false, true)), names)
    }
  }

  #filtered({ initial: { postfix }, filters }: FilteredValue, names: Names): void {
    const offset = postfix[0]?.begin ?? 0
    if (postfix.length > this.#operands) {
      throw new SyntaxFault(`more than ${this.#operands} operands and operators in one condition`, offset)
    }
    let values = 0
    for (const token of postfix) {
      if (!TypeGuards.isOperatorToken(token)) {
        this.#operand(token, names)
        values++
        continue
      }
      const needed = token.operator === 'not' ? 1 : 2
      if (values < needed) throw new SyntaxFault('a value is missing next to an operator', token.begin)
      values -= needed - 1
    }
    if (values > 1) throw new SyntaxFault('not a single value; an operator or "|" may be missing', offset)
    for (const filter of filters) this.#filter(filter, names)
  }

  #filter(given: FilteredValue['filters'][number], names: Names): void {
    const { name, args } = given
    const { begin } = (given as unknown as { readonly token: Token }).token
    const filter = allFilters.get(name)
    if (!filter) {
      const near = didYouMean(name, [...allFilters.keys()])
      throw new SyntaxFault(`there is no filter ${nameOf(name)}${near}`, begin)
    }
    let positional = 0
    for (const argument of args) {
      if (!Array.isArray(argument)) {
        this.#operand(argument, names)
        positional++
        continue
      }
      const [option = '', operand] = argument
      if (!filter.named?.includes(option)) {
        throw new SyntaxFault(`${name} has no named argument ${nameOf(option)}`, begin)
      }
      if (!operand) throw new SyntaxFault(`the argument ${nameOf(option)} has no value`, begin)
      this.#operand(operand, names)
    }
    const [least, most] = filter.takes
    if (positional >= least && positional <= most) return
    const count = least === most ? String(least) : `${least} to ${most}`
    throw new SyntaxFault(`${name} takes ${count} argument${count === '1' ? '' : 's'}`, begin)
  }

  #operand(token: Token, names: Names): void {
    if (TypeGuards.isQuotedToken(token)) checkText(token)
    else if (TypeGuards.isNumberToken(token)) {
      if (!Number.isFinite(token.content)) throw new SyntaxFault('the number is too large', token.begin)
      if (token.getText().includes('.')) Object.assign(token, { content: new Decimal(token.content) })
    } else if (TypeGuards.isRangeToken(token)) {
      this.#operand(token.lhs, names)
      this.#operand(token.rhs, names)
      boundRange(token)
    } else if (TypeGuards.isPropertyAccessToken(token)) this.#path(token, names)
    else if (TypeGuards.isFilteredValueToken(token)) {
      for (const inner of token.initial.postfix) this.#operand(inner, names)
    } else if (!TypeGuards.isLiteralToken(token)) throw new SyntaxFault('not a value', token.begin)
  }

  #path(token: PropertyAccessToken, names: Names): void {
    if (token.getText().endsWith('.')) {
      throw new SyntaxFault('a name is missing after the last "."', token.end - 1)
    }
    if (token.variable) this.#operand(token.variable, names)
    for (const [index, prop] of token.props.entries()) {
      const isName = TypeGuards.isWordToken(prop)
      if (!isName) expectBracket(prop)
      else if (prop.size() === 0) throw new SyntaxFault('a name or number is missing in "[]"', prop.begin)
      if (index === 0 && !token.variable) this.#root(token, prop, names)
      else if (!isName) this.#operand(prop, names)
    }
  }

  #root({ begin }: PropertyAccessToken, root: Token, names: Names): void {
    const name = 'content' in root ? root.content : undefined
    if (typeof name !== 'string') throw new SyntaxFault('the name of a variable must be written out', begin)
    if (!names.includes(name)) this.#mentions.push({ name, offset: begin })
  }
}

function checkText(token: QuotedToken): void {
  if (!isClosed(token.getText())) throw new SyntaxFault('a quote is not closed', token.begin)
  if (!token.content.isWellFormed()) {
    throw new SyntaxFault('the text contains half of a surrogate pair', token.begin)
  }
}

/** Checks the closing quote, since liquidjs accepts any character at the end of a tag as one. */
function isClosed(source: string): boolean {
  let escaped = false
  for (const character of source.slice(1, -1)) escaped = !escaped && character === '\\'
  return source.length > 1 && source.at(-1) === source[0] && !escaped
}

/** Checks the closing bracket, since liquidjs ignores text between a value and its bracket. */
function expectBracket({ input, end }: Token): void {
  if (!input.slice(end).trimStart().startsWith(']')) throw new SyntaxFault('"]" is missing', end)
}
