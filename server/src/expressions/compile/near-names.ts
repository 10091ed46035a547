/** "; did you mean x or y?" with the names that are one or two slips away, or nothing. */
export function nearNames(name: string, names: readonly string[]): string {
  if (name.length > 64) return ''
  const most = name.length > 4 ? 2 : 1
  const near = names
    .map(candidate => ({ candidate, slips: distance(name, candidate) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
}

/** Levenshtein: letters left out, put in or changed. */
function distance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= right.length; column++) {
      const changed = (above[column - 1] ?? 0) + (right[column - 1] === letter ? 0 : 1)
      current.push(Math.min(changed, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above[right.length] ?? 0
}
