import { DevAssertionError } from './assertion-error.ts'

/** Something that a test has ordered, and how often it was used. */
interface Ordered {
  readonly used: number
  /** 0 if it has no number of times. */
  readonly left: number
  readonly shown: string
}

/**
 * Throws a `DevAssertionError` that names each of what was ordered and not used as often, or if nothing was ordered.
 * @param isAnyEnough true if one of those that have no number of times has to be used, not each
 */
export function refuseUnused(what: string, ordered: readonly Ordered[], isAnyEnough: boolean): void {
  const used = ordered.filter(one => one.used > 0)
  const isUnused = ({ used: times, left }: Ordered) => left > 0 || (times === 0 && !isAnyEnough)
  const unused = used.length === 0 ? ordered : ordered.filter(isUnused)
  if (ordered.length > 0 && unused.length === 0) return
  const lines = unused.map(
    ({ shown, used, left }) =>
      `\n  ${shown}: ${left > 0 ? `used ${used} of ${used + left} times` : 'never used'}`,
  )
  throw ordered.length === 0
    ? new DevAssertionError(
        `no ${what} was ordered`,
        ', so that none could be used: was it another tenant?',
        {
          actual: 0,
          expected: 'at least 1',
        },
      )
    : new DevAssertionError(`these ${what}s were not used:`, lines.join(''), {
        actual: ordered.length - unused.length,
        expected: ordered.length,
      })
}
