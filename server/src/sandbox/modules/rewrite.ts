/**
 * SES refuses code with text that could begin an import or an HTML comment anywhere, even in comments, strings,
 * regular expressions and names of members, where it is harmless. This rewrites it there without changing the
 * meaning or the lines. SES checks the result again and refuses whatever was missed.
 *
 * Runners use this for formulas, the host for the modules of the operator.
 */
import { getLineInfo, type Node, Parser, type Token, tokTypes } from 'acorn'

/** Refuses `import(…)` and `import.meta`, with the position. */
class ScriptParser extends Parser {
  parseExprImport(): never {
    const self = this as unknown as { start: number; raise(at: number, message: string): never }
    return self.raise(self.start, 'import is not supported; use require')
  }
}

interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

const options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowHashBang: false,
} as const

/**
 * @param forStrict also rewrites what strict mode refuses although it has a meaning there: octal numbers and escapes,
 * and `delete` of a variable
 * @throws {SyntaxError} with line and column in its message; RangeError for code that is nested too deeply
 */
export function rewrite(code: string, forStrict = false): string {
  const changes: Change[] = []
  const tokens: Token[] = []
  const tree = ScriptParser.parse(code, {
    ...options,
    onToken: token => {
      tokens.push(token)
    },
    onComment: (_block, _text, start, end) => {
      changes.push({ start, end, text: code.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, ' ') })
    },
  })
  if (forStrict) changes.push(...strictChanges(tree, code))
  const tagged = taggedTemplates(tree)
  tokens.forEach((token, index) => {
    const { start, end } = token
    const before = code.slice(start, end)
    const text = respell(token, before, tokens[index + 1], tagged, code)
    if (text !== before) changes.push({ start, end, text })
  })
  return apply(code, changes)
}

/** Returns the line of the first error of code in strict mode, if there is one. */
export function lineOfError(code: string): number | undefined {
  try {
    ScriptParser.parse(`'use strict';${code}`, options)
  } catch (error) {
    return (error as { loc?: { line: number } }).loc?.line
  }
  return undefined
}

interface AnyNode extends Node {
  readonly raw?: string
  readonly value?: unknown
  readonly operator?: string
  readonly argument?: AnyNode
  readonly id?: AnyNode | null
  readonly params?: readonly AnyNode[]
  readonly name?: string
}

function strictChanges(tree: Node, code: string): Change[] {
  const changes: Change[] = []
  const declared = new Set<string | undefined>()
  visit(tree, ({ id, params = [] }) => {
    for (const one of [id, ...params]) declared.add(one?.name)
  })
  visit(tree, ({ type, start, end, raw = '', value, operator, argument }) => {
    const isOctal = type === 'Literal' && (typeof value === 'number' ? /^0\d/ : /\\[0-9]/).test(raw)
    if (isOctal && typeof value !== 'object') changes.push({ start, end, text: JSON.stringify(value) })
    if (type === 'UnaryExpression' && operator === 'delete' && argument?.type === 'Identifier') {
      // A declared variable stays, as in sloppy mode.
      const text = declared.has(argument.name) ? 'false' : `(${argument.name} = void 0, true)`
      changes.push({ start, end, text })
    }
    if (type === 'WithStatement') {
      const { line, column } = getLineInfo(code, start)
      throw new SyntaxError(
        `with is not supported; write the object before each of its members (${line}:${column})`,
      )
    }
  })
  return changes
}

function visit(node: unknown, see: (node: AnyNode) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) see(node as AnyNode)
  for (const child of Object.values(node)) visit(child, see)
}

function respell(
  token: Token,
  text: string,
  next: Token | undefined,
  tagged: ReadonlySet<number>,
  code: string,
): string {
  switch (token.type) {
    case tokTypes.string:
      return inString(text)
    case tokTypes.template:
    case tokTypes.invalidTemplate:
      // A tag function can read the raw text, so it must not change.
      return tagged.has(token.start) ? text : inString(text)
    case tokTypes.regexp:
      return inRegularExpression(text)
    case tokTypes._import:
    case tokTypes.name:
    case tokTypes.privateId:
      // The parser refuses import expressions, so this is the name of a member.
      return text.replace(/^(#?)import$/, '$1im\\u0070ort')
    case tokTypes.incDec:
      return next?.start === token.end && code[next.start] === '>' ? `${text} ` : text
    default:
      return text
  }
}

function inString(text: string): string {
  return words(text).replaceAll('<!--', '<!-\\x2d').replaceAll('-->', '--\\x3e')
}

function inRegularExpression(text: string): string {
  // Not after `(?` (a lookbehind) or a backslash (an escape): SES refuses those.
  return words(text)
    .replace(/(?<!\(\?|\\)<!--/g, '\\x3c!--')
    .replaceAll('-->', '--\\x3e')
}

function words(text: string): string {
  return text.replaceAll('import', 'im\\x70ort')
}

/** Returns the start offsets of the texts of tagged templates. */
function taggedTemplates(tree: Node): Set<number> {
  const found = new Set<number>()
  visit(tree, ({ type, quasi }: { type: string; quasi?: { readonly quasis: readonly Node[] } }) => {
    if (type === 'TaggedTemplateExpression') for (const { start } of quasi?.quasis ?? []) found.add(start)
  })
  return found
}

function apply(code: string, changes: Change[]): string {
  let [text, at] = ['', 0]
  for (const { start, end, text: replacement } of changes.sort((a, b) => a.start - b.start)) {
    // The parser may report a token or comment twice.
    if (start < at) continue
    text += code.slice(at, start) + replacement
    at = end
  }
  return text + code.slice(at)
}
