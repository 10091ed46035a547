/** No path in an answer is longer, however deep the request nests. */
const longestPath = 400

/**
 * Where something is in a request, dotted: `cards.0.number`. Members have the names that callers give them,
 * which may be anything, so only those that look like names are repeated. Numbers are positions in lists.
 */
export function memberPath(steps: readonly (string | number)[]): string {
  const path = steps.map(step => (typeof step === 'number' || plainName.test(step) ? step : '?')).join('.')
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path
}

/** Something a programmer would call a member. A long run of digits may be someone's card. */
const plainName = /^(?=.{1,100}$)(?:[A-Za-z_$][\w$-]*|\d{1,4})$/

/** Paths one below the other; the empty path is the whole. */
export function joinPaths(...paths: readonly string[]): string {
  return paths.filter(path => path !== '').join('.')
}
