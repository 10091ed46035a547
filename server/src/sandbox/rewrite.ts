/**
 * SES refuses code with text that could begin an import or an HTML comment anywhere, even in comments, strings,
 * regular expressions and names of members, where it is harmless. This rewrites it there without changing the
 * meaning or the lines. SES checks the result again and refuses whatever was missed.
 *
 * Runners use this for formulas, the host for the modules of the operator.
 */
import { type Node, Parser, type Token, tokTypes } from 'acorn'

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

/** @throws {SyntaxError} with line and column in its message; RangeError for code that is nested too deeply */
export function rewrite(code: string): string {
  const changes: Change[] = []
  const tokens: Token[] = []
  const tree = ScriptParser.parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowReturnOutsideFunction: true,
    allowHashBang: false,
    onToken: token => {
      tokens.push(token)
    },
    onComment: (_block, _text, start, end) => {
      changes.push({ start, end, text: code.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, ' ') })
    },
  })
  const tagged = taggedTemplates(tree)
  tokens.forEach((token, index) => {
    const { start, end } = token
    const before = code.slice(start, end)
    const text = respell(token, before, tokens[index + 1], tagged, code)
    if (text !== before) changes.push({ start, end, text })
  })
  return apply(code, changes)
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
function taggedTemplates(node: unknown, found = new Set<number>()): Set<number> {
  if (typeof node !== 'object' || node === null) return found
  const { type, quasi } = node as { type?: unknown; quasi?: { readonly quasis: readonly Node[] } }
  if (type === 'TaggedTemplateExpression') for (const { start } of quasi?.quasis ?? []) found.add(start)
  for (const child of Object.values(node)) taggedTemplates(child, found)
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
