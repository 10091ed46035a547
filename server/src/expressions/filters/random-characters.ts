/**
 * Draws one character from each alphabet (of at most 256), without bias. Bytes beyond the last whole multiple of
 * the alphabet's length are discarded: modulo the length, they would favour the first characters.
 */
export function randomCharacters(
  alphabets: readonly string[],
  random: (bytes: number) => Uint8Array,
): string {
  let bytes = new Uint8Array()
  let used = 0
  const next = (left: number): number => {
    if (used === bytes.length) {
      bytes = new Uint8Array(random(left))
      used = 0
    }
    return bytes[used++] ?? 0
  }
  return alphabets
    .map((alphabet, index) => {
      const { length } = alphabet
      if (isKept(alphabet)) return alphabet
      const usable = 256 - (256 % length)
      for (;;) {
        const byte = next(alphabets.length - index)
        if (byte < usable) return alphabet.charAt(byte % length)
      }
    })
    .join('')
}

/** True if the alphabet is a single character to keep, which may be a surrogate pair. */
export function isKept(alphabet: string): boolean {
  return alphabet.length <= 2
}
