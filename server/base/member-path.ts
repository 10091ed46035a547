/**
 * Where something is in a request, dotted: `cards.0.number`. Members have the names that callers give them,
 * which may be anything, so only those that look like names are repeated.
 */
export function memberPath(steps: readonly string[]): string {
  return steps.map(step => (plainName.test(step) ? step : '?')).join('.')
}

/** Something a programmer would call a member. A long run of digits may be someone's card. */
const plainName = /^(?=.{1,100}$)(?:[A-Za-z_$][\w$-]*|\d{1,4})$/

/** Paths one below the other; the empty path is the whole. */
export function joinPaths(...paths: readonly string[]): string {
  return paths.filter(path => path !== '').join('.')
}
