import { isTruthy } from '../value.ts'
import type { FilterFamily } from './filter.ts'

export const fallbackFilters: FilterFamily = {
  /**
   * Returns the argument instead of null, false or an empty text or list; `allow_false: true` keeps false.
   * @example {{ data.name | default: 'none' }} → none
   */
  default: {
    takes: [1, 1],
    named: ['allow_false'],
    apply: (input, [fallback = null], _, named) => {
      if (typeof input === 'string' || Array.isArray(input)) return input.length === 0 ? fallback : input
      if (input === false && isTruthy(named.allow_false ?? null)) return false
      return isTruthy(input) ? input : fallback
    },
  },
}
