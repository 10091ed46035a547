/** The kind of a part of a program's text, which is also its CSS class; plain text has none. */
type Kind = 'name' | 'string' | 'constant'

/**
 * Strings come first, so that digits and words in them belong to them. Their last quote may be missing: otherwise each
 * quote of a long text would be looked for to its end.
 */
const json = /("(?:[^"\\]|\\.)*(?:"(?:\s*:)?)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/
const program =
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\b(?:true|false|null|nil|None|True|False)\b|\b\d[\d.]*\b)/

/**
 * Splits JSON, or a program in a common language, into parts to be coloured.
 *
 * @example
 * ```ts
 * partsOf('{"n": 1}') // [['{'], ['"n":', 'name'], [' '], ['1', 'constant'], ['}']]
 * ```
 */
export function partsOf(text: string, isJson = true): (readonly [text: string, kind?: Kind])[] {
  return text
    .split(isJson ? json : program)
    .map((part, index) => (index % 2 ? ([part, kindOf(part, isJson)] as const) : ([part] as const)))
    .filter(([part]) => part !== '')
}

function kindOf(part: string, isJson: boolean): Kind {
  if (isJson && part.endsWith(':')) return 'name'
  return /^["']/.test(part) ? 'string' : 'constant'
}
