/** How a value was written where it was found. */
export type Spelling = 'plain' | 'separated' | 'base64' | 'url' | 'json'

/** Returns the common spellings of a value, each once. */
export function spellingsOf(value: string): { readonly text: string; readonly spelling: Spelling }[] {
  const spelled = new Map<string, Spelling>()
  const add = (text: string, spelling: Spelling) => {
    if (!spelled.has(text)) spelled.set(text, spelling)
  }
  add(value, 'plain')
  // Digits with other separators, or without any.
  const digits = value.replaceAll(/(?<=\d)[ -](?=\d)/g, '')
  if (/^\d+$/.test(digits)) add(digits, 'separated')
  add(JSON.stringify(value).slice(1, -1), 'json')
  add(encodeURIComponent(value.toWellFormed()), 'url')
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const text of withinBase64(Buffer.from(value), encoding)) add(text, 'base64')
  }
  return [...spelled].map(([text, spelling]) => ({ text, spelling }))
}

/** Returns base64 of the bytes as it occurs within that of a longer text: it depends on where in three they begin. */
function withinBase64(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(encoding)
      .replace(/={1,2}$/, '')
    // Characters at both ends have bits of what is beside the value.
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor(((before + bytes.length) * 8) / 6)
    return text.slice(from, to)
  })
}
