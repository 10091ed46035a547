import fc from 'fast-check'
import type { Dice } from './dice.ts'
import type { Document, Schema } from './document.ts'
import { container, validContainer } from './grammar/containers.ts'
import { date, futureDate } from './grammar/dates.ts'
import { safeExpressions, template } from './grammar/expressions.ts'
import { callbackUrl, code } from './grammar/formulas.ts'
import { id } from './grammar/ids.ts'
import { query, validQuery } from './grammar/queries.ts'
import { anyNumber, anyText, word } from './grammar/texts.ts'
import { isLooseObject, type Loose, type LooseObject } from './json-text.ts'

/** Makes values of the contract's schemas. */
export class Values {
  /** The values made for sensitive members. */
  readonly secrets: string[] = []
  readonly dice: Dice
  readonly #document: Document
  readonly #canary: string
  /** True if all values must be accepted; otherwise texts come from their whole grammar. */
  readonly #strict: boolean

  constructor(
    document: Document,
    dice: Dice,
    options: { readonly canary: string; readonly strict: boolean },
  ) {
    this.dice = dice
    this.#document = document
    this.#canary = options.canary
    this.#strict = options.strict
    this.secrets.push(options.canary)
  }

  of(given: Schema, name = ''): Loose {
    const schema = this.#document.resolve(given)
    const { dice } = this
    const meant = this.#byName(name, schema)
    if (meant !== undefined) return meant
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return dice.pick(schema.enum)
    const branch = schema.oneOf ?? schema.anyOf
    const parts = [...(branch ? [dice.pick(branch)] : []), ...(schema.allOf ?? [])]
    if (parts.length > 0) return this.#whole(schema, parts, name)
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object'])
    if (!schema.properties && types.includes('object') && types.includes('array')) return this.json()
    const type =
      types.length > 1 && dice.chance(0.9) ? dice.pick(types.filter(one => one !== 'null')) : dice.pick(types)
    return this.#ofType(type, schema, name)
  }

  /** Returns any JSON, with sensitive texts. */
  json(depth = 0): Loose {
    const { dice } = this
    return dice.weighted<() => Loose>([
      [3, () => (dice.chance(0.5) ? this.#canary : this.#strict ? word(dice) : anyText(dice))],
      [2, () => (this.#strict ? dice.int(-1000, 1000) : anyNumber(dice))],
      [1, () => dice.chance(0.5)],
      [depth > 3 ? 0 : 2, () => dice.list(0, 4, () => this.json(depth + 1))],
      [
        depth > 3 ? 0 : 3,
        () => Object.fromEntries(dice.list(0, 4, () => [this.#name(), this.json(depth + 1)])),
      ],
    ])()
  }

  /** Returns a text of the format. @throws {Error} for an unknown format */
  format(format: string, schema: Schema = {}): string {
    const { dice } = this
    switch (format) {
      case 'uuid':
        return dice.uuid()
      case 'date-time':
        return this.#strict
          ? `20${dice.int(10, 99)}-0${dice.int(1, 9)}-1${dice.int(0, 9)}T10:00:00Z`
          : date(dice)
      case 'expiration':
        return this.#strict ? futureDate(dice) : date(dice)
      case 'token-id':
        return this.#strict ? `fuzz-${dice.uuid()}` : id(dice)
      case 'token-id-or-expression':
        return this.#strict
          ? dice.pick([`fuzz-${dice.uuid()}`, '{{ data | stringify | alias_preserve_length }}-fuzz'])
          : id(dice)
      case 'uri':
        return this.#strict ? '@@sink@@' : callbackUrl(dice)
      case 'luhn':
        return this.#secret(luhn(dice, dice.int(schema.minLength ?? 13, schema.maxLength ?? 19)))
      case 'aba-routing-number':
        return this.#secret(routingNumber(dice))
      default:
        throw new Error(
          `the fuzz does not know the format ${format} of the contract: add it to fuzz/values.ts`,
        )
    }
  }

  #ofType(type: string, schema: Schema, name: string): Loose {
    const { dice } = this
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return dice.chance(0.5)
      case 'integer':
      case 'number': {
        const least = schema.minimum ?? 1
        return dice.int(least, Math.min(schema.maximum ?? least + 5, least + 200))
      }
      case 'array': {
        const least = schema.minItems ?? 0
        const items = schema.items ?? {}
        return dice.list(least, Math.min(schema.maxItems ?? least + 3, least + 3), () =>
          this.of(items, `${name}.`),
        )
      }
      case 'object':
        return this.#object(schema)
      default:
        return this.#text(schema)
    }
  }

  #object(schema: Schema): LooseObject {
    const { dice } = this
    const members = Object.entries(schema.properties ?? {})
      .filter(([name]) => schema.required?.includes(name) || dice.chance(0.35))
      .map(([name, member]): [string, Loose] => [name, this.of(member, name)])
    const more = schema.additionalProperties
    if (typeof more === 'object')
      members.push(...dice.list(0, 3, (): [string, Loose] => [word(dice), this.of(more)]))
    return Object.fromEntries(members)
  }

  #whole(schema: Schema, parts: readonly Schema[], name: string): Loose {
    const { oneOf: _, anyOf: __, allOf: ___, ...own } = schema
    const made = parts.map(part => this.of(part, name))
    if (!made.every(isLooseObject) || (made.length === 1 && !own.properties)) return made[0] ?? null
    return Object.assign({}, own.properties ? this.#object(own) : {}, ...made)
  }

  #text(schema: Schema): string {
    const { dice } = this
    if (schema.format === 'luhn' || schema.pattern === undefined) {
      if (schema.format !== undefined) return this.format(schema.format, schema)
      const least = schema.minLength ?? 0
      const most = Math.min(schema.maxLength ?? least + 30, least + 30)
      return dice.chance(0.2) && !this.#strict ? anyText(dice) : word(dice, Math.max(least, 1), most)
    }
    return matching(schema.pattern, dice)
  }

  /** Makes expressions, queries and code, which only the descriptions in the contract define. */
  #byName(name: string, schema: Schema): Loose | undefined {
    const { dice } = this
    if (dice.chance(0.1) && !this.#strict) return undefined
    switch (name) {
      case 'data':
        return (schema.properties ?? schema.pattern ?? schema.format) ? undefined : this.json()
      case 'mask':
        return this.#tree(0)
      case 'fingerprint_expression':
      case 'search_indexes.':
        return schema.type === 'null' ? null : this.#expression()
      case 'containers.':
      case 'container':
        return this.#strict ? validContainer(dice) : container(dice)
      case 'query':
        return this.#strict ? validQuery(dice) : query(dice)
      case 'code':
        return code(dice)
      case 'args':
        return this.json(0)
      default:
        return undefined
    }
  }

  #expression(): string {
    return this.#strict ? this.dice.pick(safeExpressions) : template(this.dice)
  }

  #tree(depth: number): Loose {
    const { dice } = this
    if (depth > 2 || dice.chance(0.6)) return this.#expression()
    if (dice.chance(0.5)) return dice.list(0, 3, () => this.#tree(depth + 1))
    return Object.fromEntries(dice.list(0, 3, () => [word(dice), this.#tree(depth + 1)]))
  }

  #name(): string {
    return this.#strict || this.dice.chance(0.8) ? word(this.dice, 1, 8) : anyText(this.dice)
  }

  #secret(text: string): string {
    this.secrets.push(text)
    return text
  }
}

const samples = new Map<string, readonly string[]>()

/** Returns a text that matches the pattern, from a few hundred that are made once. */
function matching(pattern: string, dice: Dice): string {
  let known = samples.get(pattern)
  if (!known) {
    // Texts that a lookahead excludes are filtered out afterwards.
    const expression = new RegExp(pattern)
    const arbitrary = fc.stringMatching(
      new RegExp(pattern.replaceAll(/\(\?![^()]*(\([^()]*\)[^()]*)*\)/g, '')),
    )
    known = fc
      .sample(arbitrary, { seed: 1, numRuns: 200 })
      .filter(text => expression.test(text) && text.length <= 100)
    samples.set(pattern, known)
  }
  return dice.pick(known)
}

function luhn(dice: Dice, length: number): string {
  const body = dice.text('0123456789', length - 1, length - 1)
  for (let check = 0; check < 10; check++) if (luhnSum(body + check) % 10 === 0) return body + check
  throw new Error('no check digit matches')
}

function luhnSum(digits: string): number {
  return [...digits].reverse().reduce((sum, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
}

function routingNumber(dice: Dice): string {
  const body = `0${dice.int(1, 9)}${dice.text('0123456789', 6, 6)}`
  const sum = [3, 7, 1, 3, 7, 1, 3, 7].reduce((total, weight, at) => total + weight * Number(body[at]), 0)
  return body + ((10 - (sum % 10)) % 10)
}
