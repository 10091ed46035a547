/** Returns "; did you mean x or y?" with the names that are one or two typing errors away, or ''. */
export function nearNames(name: string, names: readonly string[]): string {
  if (name.length > 64) return ''
  const most = name.length > 4 ? 2 : 1
  const near = names
    .map(candidate => ({ candidate, errors: distance(name, candidate) }))
    .filter(({ errors }) => errors <= most)
    .sort((a, b) => a.errors - b.errors)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
}

/** Returns the Levenshtein distance. */
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
