/** No path in an answer is longer, however deep the request nests. */
const longestPath = 400

/**
 * Returns the dotted path of something in a request: `cards.0.number`. Callers choose the names of members, and a name may
 * be a sensitive value, so only those that look like names are repeated; others become `?`. Numbers are positions in lists.
 */
export function memberPath(steps: readonly (string | number)[]): string {
  const path = steps.map(step => (typeof step === 'number' || plainName.test(step) ? step : '?')).join('.')
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path
}

/** An identifier or a short number. A long run of digits may be a card number. */
const plainName = /^(?=.{1,100}$)(?:[A-Za-z_$][\w$-]*|\d{1,4})$/

/** Joins paths; the empty path is the whole value. */
export function joinPaths(...paths: readonly string[]): string {
  return paths.filter(path => path !== '').join('.')
}

/** Joins paths into a key of `errors`, where `body` stands for the whole body. */
export function errorPath(...paths: readonly string[]): string {
  return joinPaths(...paths) || 'body'
}
