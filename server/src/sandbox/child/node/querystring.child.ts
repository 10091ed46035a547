const unescapeText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
const escapeText = (text: unknown): string => encodeURIComponent(`${text}`)

type Values = Record<string, string | string[]>

function parse(query: unknown, separator = '&', equals = '='): Values {
  const values = Object.create(null) as Values
  if (typeof query !== 'string' || query === '') return values
  for (const pair of query.split(separator)) {
    const at = pair.indexOf(equals)
    const [rawName, rawValue] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + equals.length)]
    if (pair === '') continue
    const name = unescapeText(rawName.replaceAll('+', ' '))
    const value = unescapeText(rawValue.replaceAll('+', ' '))
    const before = values[name]
    values[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return values
}

const primitive = (value: unknown) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? escapeText(value) : ''

function stringify(values: object | null | undefined, separator = '&', equals = '='): string {
  return Object.entries(values ?? {})
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map(one => escapeText(name) + equals + primitive(one)),
    )
    .join(separator)
}

export const querystring = {
  parse,
  stringify,
  escape: escapeText,
  unescape: unescapeText,
  decode: parse,
  encode: stringify,
}
