const space = /[ \t\n\r]*/y
/** The longest text that a number, or an escape in a string, can begin with. */
const numberStart = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y
const escapeStart = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y
const words = ['true', 'false', 'null']

/** What may come next. With `first`, a list or object may close without a member. */
type Next = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma'

/** A token: where it ends, and if it is whole. If not, a character that cannot be follows, or nothing. */
interface Token {
  readonly end: number
  readonly isWhole: boolean
}

/**
 * Returns the offset of the first character that cannot be in JSON, or the length of a text that is cut off. V8 names it in
 * some messages only. To be called for text that `JSON.parse` refuses; takes linear time.
 */
export function findSyntaxError(text: string): number {
  const closing: ('}' | ']')[] = []
  let next: Next = 'value'
  for (let at = matchEnd(space, text, 0); at < text.length; at = matchEnd(space, text, at)) {
    const sign = text.charAt(at)
    const member = closing.at(-1) === '}' ? 'name' : 'value'
    if (sign === closing.at(-1) && (next === 'comma' || next === `first ${member}`)) {
      closing.pop()
      next = 'comma'
      at++
    } else if (next === 'comma' || next === 'colon') {
      // Behind the whole document nothing can follow.
      if (closing.length === 0 || sign !== (next === 'comma' ? ',' : ':')) return at
      next = next === 'comma' ? member : 'value'
      at++
    } else if (!next.endsWith('name') && (sign === '{' || sign === '[')) {
      closing.push(sign === '{' ? '}' : ']')
      next = sign === '{' ? 'first name' : 'first value'
      at++
    } else {
      const isName = next.endsWith('name')
      const { end, isWhole } =
        sign === '"' ? readString(text, at) : isName ? nothing(at) : readLiteral(text, at)
      if (!isWhole) return end
      next = isName ? 'colon' : 'comma'
      at = end
    }
  }
  return text.length
}

const nothing = (at: number): Token => ({ end: at, isWhole: false })

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function readString(text: string, start: number): Token {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1, isWhole: true }
    if (code < 0x20) return nothing(at)
    if (code !== 0x5c) continue
    const end = matchEnd(escapeStart, text, at)
    const isWhole = end - at === (text.charAt(at + 1) === 'u' ? 6 : 2)
    if (!isWhole) return nothing(end)
    at = end - 1
  }
  return nothing(text.length)
}

function readLiteral(text: string, at: number): Token {
  const word = words.find(one => one[0] === text[at])
  if (word === undefined) {
    const end = matchEnd(numberStart, text, at)
    return { end, isWhole: /\d$/.test(text.slice(Math.max(at, end - 1), end)) }
  }
  let length = 1
  while (length < word.length && text[at + length] === word[length]) length++
  return { end: at + length, isWhole: length === word.length }
}
