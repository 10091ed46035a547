import { mustBe } from './check.ts'

/**
 * Returns a search query in which each value stands in double quotes, so that it is only ever a value: without them, an
 * order number such as `7 OR type:card` would find every card. Behind `container:` a value that ends with `*` takes in
 * the containers below.
 *
 * @example
 * ```ts
 * const order = 'an order number, as a customer typed it'
 * const found = await surrogate.tokens.search({ query: query`metadata.order:${order} AND type:card` })
 * ```
 */
export function query(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | boolean | Date)[]
): string {
  mustBe('query', texts?.raw, 'the tag of a template')
  return values.reduce<string>((text, value, at) => {
    mustBe(`value ${at + 1} of query`, value !== undefined && value !== null, 'set')
    const shown = value instanceof Date ? value.toISOString() : `${value}`
    return `${text}"${shown.replace(/["\\]/g, '\\$&')}"${texts[at + 1]}`
  }, texts[0] as string)
}
