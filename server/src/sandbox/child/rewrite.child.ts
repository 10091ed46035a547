/**
 * SES refuses a text for what could begin an import or an HTML comment, wherever it stands. In a comment, a
 * string, a regular expression or as the name of a member it is harmless: this spells it otherwise, with the
 * same meaning, each line where it was. SES looks at the result again, so what is missed here is refused there.
 */
import { type Node, Parser, type Token, tokTypes } from 'acorn'

/** Refuses `import(…)`, `import.meta` and what may come of it, with the place. */
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

/** @throws {SyntaxError} with line and column in its message */
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
      // A tag sees the raw text, which must stay.
      return tagged.has(token.start) ? text : inString(text)
    case tokTypes.regexp:
      return inRegularExpression(text)
    case tokTypes._import:
    case tokTypes.name:
    case tokTypes.privateId:
      // As an expression it was refused, so it is the name of a member.
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
  // After `(?` it is a lookbehind, after a backslash it is escaped already: SES will refuse those.
  return words(text)
    .replace(/(?<!\(\?|\\)<!--/g, '\\x3c!--')
    .replaceAll('-->', '--\\x3e')
}

function words(text: string): string {
  return text.replaceAll('import', 'im\\x70ort')
}

/** Where the texts of tagged templates start. */
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
    // A parser may look at a token or a comment twice.
    if (start < at) continue
    text += code.slice(at, start) + replacement
    at = end
  }
  return text + code.slice(at)
}
