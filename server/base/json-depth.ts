// Requirements: WIR-506
export const jsonDepthLimit = 64

const quote = 0x22
const backslash = 0x5c
/** `[` and `{`, and `]` and `}`, differ in this bit alone. */
const braceBit = 0x20
const open = 0x7b
const close = 0x7d

/**
 * The offset at which a text opens more than `limit` lists and objects one inside the other, or -1. To be called
 * before `JSON.parse`, which takes seconds for a megabyte of `[`. The text need not be JSON.
 */
export function findTooDeep(text: string, limit: number = jsonDepthLimit): number {
  if (opensAtMost(text, limit)) return -1
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code >= 0x5b) {
      const brace = code | braceBit
      if (brace === open && ++depth > limit) return at
      if (brace === close) depth--
    }
  }
  return -1
}

/** True of most texts, and found much faster than by going through them. */
function opensAtMost(text: string, limit: number): boolean {
  let count = 0
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > limit) return false
    }
  }
  return true
}

/** The offset of the quote that ends the string begun at `start`; the end of the text where there is none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === backslash) before--
    // An even number of backslashes escapes itself, an odd one the quote.
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}
