import fc from 'fast-check'
import { resolved, type Schema } from './document.ts'
import { code } from './formulas.ts'
import {
  container,
  date,
  futureDate,
  id,
  query,
  safeExpression,
  template,
  validContainer,
  validQuery,
} from './grammar.ts'
import { oddValue } from './odd.ts'
import { anyJson, anyText, isMembers, type Json, text, weighted, word } from './texts.ts'

/** How values are made: all must be accepted; texts come from their whole grammar; some values are unlike their schemas. */
export type Mode = 'strict' | 'loose' | 'odd'

/** Arbitrary values of the contract's schemas. */
export class Values {
  readonly #mode: Mode
  readonly #json: fc.Arbitrary<Json>
  readonly #expressions: { readonly one: fc.Arbitrary<string>; readonly tree: fc.Arbitrary<Json> }
  readonly #known = new Map<string, fc.Arbitrary<Json>>()

  constructor(mode: Mode) {
    this.#mode = mode
    const isLoose = mode === 'loose'
    this.#json = anyJson(!isLoose)
    const one = isLoose ? template : safeExpression
    const branches = { maxKeys: 3, noNullPrototype: true }
    const tree = fc.oneof(one, fc.array(one, { maxLength: 3 }), fc.dictionary(word, one, branches))
    this.#expressions = { one, tree }
  }

  /** @param name of the member that has the value; with a dot at its end for an item of that member */
  of(given: Schema, name = ''): fc.Arbitrary<Json> {
    const schema = resolved(given)
    const key = `${name} ${JSON.stringify(given)}`
    const known = this.#known.get(key)
    if (known) return known
    const [meant, plain] = [this.#byName(name, schema), this.#plain(schema, name)]
    const usual = meant && this.#mode === 'loose' ? weighted([9, meant], [1, plain]) : (meant ?? plain)
    const made = this.#distorted(usual, schema, name)
    this.#known.set(key, made)
    return made
  }

  #distorted(usual: fc.Arbitrary<Json>, schema: Schema, name: string): fc.Arbitrary<Json> {
    // Another host in a callback URL could belong to somebody.
    if (name === 'callback_url') return usual
    return this.#mode === 'odd' ? weighted([88, usual], [12, oddValue(schema, usual)]) : usual
  }

  #plain(schema: Schema, name: string): fc.Arbitrary<Json> {
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum) return fc.constantFrom(...schema.enum)
    const branches = (schema.oneOf ?? schema.anyOf)?.map(one => this.of(one, name))
    const parts = (schema.allOf ?? []).map(one => this.of(one, name))
    if (branches || parts.length > 0) {
      const own = schema.properties ? [this.#members(schema)] : []
      const all = [...own, ...(branches ? [fc.oneof(...branches)] : []), ...parts]
      return fc
        .tuple(...all)
        .map(made => (made.every(isMembers) ? Object.assign({}, ...made) : (made[0] ?? null)))
    }
    const types = [schema.type ?? 'object'].flat()
    if (!schema.properties && types.includes('object') && types.includes('array')) return this.#json
    const others = types.filter(type => type !== 'null').map(type => this.#ofType(type, schema, name))
    if (others.length === 0) return fc.constant(null)
    return types.includes('null') ? fc.option(fc.oneof(...others), { freq: 9 }) : fc.oneof(...others)
  }

  #ofType(type: string, schema: Schema, name: string): fc.Arbitrary<Json> {
    const { minimum: min = 1, minItems: minLength = 0 } = schema
    if (type === 'boolean') return fc.boolean()
    if (type === 'object') return this.#members(schema)
    if (type === 'string') return this.#text(schema)
    if (type !== 'array') return fc.integer({ min, max: Math.min(schema.maximum ?? min + 5, min + 200) })
    const maxLength = Math.min(schema.maxItems ?? minLength + 3, minLength + 3)
    return fc.array(this.of(schema.items ?? {}, `${name}.`), { minLength, maxLength })
  }

  #members({ properties = {}, required = [], additionalProperties: more }: Schema): fc.Arbitrary<Json> {
    const members = Object.entries(properties).map(([name, member]) => {
      const value = this.of(member, name)
      return required.includes(name)
        ? value
        : weighted<Json | undefined>([35, value], [65, fc.constant(undefined)])
    })
    const names = Object.keys(properties)
    const others = typeof more === 'object' ? this.of(more) : fc.constant(null)
    const added = fc.dictionary(word, others, {
      maxKeys: typeof more === 'object' ? 3 : 0,
      noNullPrototype: true,
    })
    return fc.tuple(added, ...members).map(([own, ...made]) => {
      const present = names.flatMap((name, at) => (made[at] === undefined ? [] : [[name, made[at]]]))
      return { ...Object.fromEntries(present), ...own } as Json
    })
  }

  #text({ format, pattern, minLength = 0, maxLength = minLength + 30 }: Schema): fc.Arbitrary<string> {
    const known = format === undefined ? undefined : this.#format(format, minLength, maxLength)
    if (known) return known
    if (pattern !== undefined) return matching(pattern)
    const max = Math.min(maxLength, minLength + 30)
    const plain = fc.string({ unit: 'grapheme-ascii', minLength: Math.max(minLength, 1), maxLength: max })
    return this.#mode === 'loose'
      ? weighted([4, plain], [1, anyText])
      : plain.filter(made => !made.includes('{'))
  }

  #format(format: string, minLength: number, maxLength: number): fc.Arbitrary<string> | undefined {
    const later = text`20${fc.integer({ min: 10, max: 99 })}-01-1${fc.nat(9)}T10:00:00Z`
    const newId = text`fuzz-${fc.uuid()}`
    const either = (valid: fc.Arbitrary<string>, any: fc.Arbitrary<string>) =>
      this.#mode === 'loose' ? any : valid
    switch (format) {
      case 'uuid':
        return fc.uuid()
      case 'date-time':
        return either(later, date)
      case 'expiration':
        return either(futureDate, date)
      case 'token-id':
        return either(newId, id)
      case 'token-id-or-expression':
        return either(fc.oneof(newId, fc.constant('{{ data | stringify | alias_preserve_length }}-fuzz')), id)
      case 'uri':
        return either(fc.constant('http://127.0.0.1:1/sink'), callbackUrl)
      case 'luhn':
        return digits(Math.max(minLength, 13), Math.min(maxLength, 19)).map(made => completed(made, luhnSum))
      case 'aba-routing-number':
        return text`0${digits(8, 8)}`.map(made => completed(made.replace('00', '01'), routingSum))
      default:
        return undefined
    }
  }

  /** Makes expressions, queries and code, which only the descriptions in the contract define. */
  #byName(name: string, schema: Schema): fc.Arbitrary<Json> | undefined {
    switch (name) {
      case 'data':
        return (schema.properties ?? schema.pattern ?? schema.format) ? undefined : this.#json
      case 'mask':
        return this.#expressions.tree
      case 'fingerprint_expression':
      case 'search_indexes.':
        return schema.type === 'null' ? undefined : this.#expressions.one
      case 'containers.':
      case 'container':
        return this.#mode === 'loose' ? container : validContainer
      case 'query':
        return this.#mode === 'loose' ? query : validQuery
      case 'code':
        return code
      case 'args':
        return this.#json
      default:
        return undefined
    }
  }
}

/** URLs for webhooks on this machine. No mutation may change them: another host could belong to somebody. */
const callbackUrl = weighted(
  [2, fc.constantFrom('http://127.0.0.1:1/sink', 'http://127.0.0.1:1/%7Bx%7D?a=b#c')],
  [2, fc.constantFrom(...'https http'.split(' ')).map(scheme => `${scheme}://127.0.0.1:1/`)],
  [
    2,
    fc
      .constantFrom(...'localhost [::1] 0x7f.1 2130706433 a@127.0.0.1'.split(' '))
      .map(host => `http://${host}:1/`),
  ],
  [
    2,
    fc.constantFrom(
      ...'ftp://127.0.0.1/ file:///etc/passwd javascript:1 https:// //127.0.0.1/ /a'.split(' '),
    ),
  ],
  [1, fc.constantFrom(10, 3000, 70_000).map(count => `https://127.0.0.1:1/${'a'.repeat(count)}`)],
)

/** Returns texts that match a pattern. What a lookahead excludes is filtered out afterwards. */
function matching(pattern: string): fc.Arbitrary<string> {
  const expression = new RegExp(pattern)
  const plain = new RegExp(pattern.replaceAll(/\(\?![^()]*(\([^()]*\)[^()]*)*\)/g, ''))
  return fc.stringMatching(plain).filter(made => expression.test(made) && made.length <= 100)
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength })

/** Replaces the last digit by the one that makes the sum a multiple of ten. */
function completed(made: string, sum: (digits: readonly number[]) => number): string {
  const all = [...'0123456789'].map(digit => made.slice(0, -1) + digit)
  return all.find(one => sum([...one].map(Number)) % 10 === 0) ?? made
}
const luhnSum = (all: readonly number[]) =>
  all
    .toReversed()
    .reduce((sum, digit, at) => sum + (at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0)
const routingSum = (all: readonly number[]) =>
  all.reduce((sum, digit, at) => sum + digit * ([3, 7, 1][at % 3] ?? 0), 0)
