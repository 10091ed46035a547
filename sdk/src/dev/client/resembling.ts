/** Returns `; did you mean <name>?` for the first of `names` that has nearly the same letters as `given`, or an empty text. */
export function didYouMean(given: string, names: readonly string[]): string {
  const near = names.find(name => differing(lettersOf(given), lettersOf(name)) <= 2)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** Returns what follows a refusal of `given`: the first of its members that is nearly one of `names`, or an empty text. */
export function misspeltIn(given: unknown, names: readonly string[]): string {
  const members = typeof given === 'object' && given !== null ? Object.keys(given) : []
  const misspelt = members.find(name => !names.includes(name) && didYouMean(name, names) !== '')
  return misspelt === undefined ? '' : `, not ${misspelt}${didYouMean(misspelt, names)}`
}

/** Counts the letters that only one of two names has. */
function differing(left: readonly string[], right: readonly string[]): number {
  const rest = [...right]
  const surplus = left.filter(letter => {
    const at = rest.indexOf(letter)
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  })
  return surplus.length + rest.length
}

const lettersOf = (name: string) => [...name.slice(0, 64).toLowerCase().replaceAll('_', '')]
