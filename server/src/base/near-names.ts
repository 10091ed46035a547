/**
 * Returns `; did you mean <name>?` with up to three of `names`: those that differ least from `given`, in one or two
 * letters. Returns an empty text if there are none.
 *
 * @param mark stands before each name that is shown, such as `--`
 */
export function didYouMean(given: string, names: readonly string[], mark = ''): string {
  if (given.length > 64) return ''
  const distances = new Map(names.map(name => [name, distance(given, name)]))
  const least = Math.min(...distances.values())
  if (least > (given.length > 4 ? 2 : 1)) return ''
  const nearest = names.filter(name => distances.get(name) === least).slice(0, 3)
  return `; did you mean ${nearest.map(name => mark + name).join(' or ')}?`
}

/** Returns `unknown option <name>; did you mean <other>?` for the first member of `options` that is not one of `names`. */
export function unknownName(options: object, names: readonly string[]): string | undefined {
  const unknown = Object.keys(options).find(name => !names.includes(name))
  return unknown === undefined ? undefined : `unknown option ${unknown}${didYouMean(unknown, names)}`
}

/** The number of letters to leave out, insert, change, or swap with their neighbour. */
function distance(left: string, right: string): number {
  let before: number[] = []
  let above = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const [letter, other] = [left[row - 1], right[column - 1]]
      const isSwapped = letter === right[column - 2] && left[row - 2] === other
      current[column] = Math.min(
        (above[column - 1] ?? 0) + (letter === other ? 0 : 1),
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, above] = [above, current]
  }
  return above[right.length] ?? 0
}
