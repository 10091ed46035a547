import type { FilteredValueToken, Token as LiquidToken, RangeToken } from 'liquidjs'
import type { JsonValue } from '../../base/json/json.ts'
import { ExpressionError } from '../expression-error.ts'
import type { FilterFamily } from '../filters/filter.ts'
import { countMembers } from '../text.ts'
import { toNumber } from '../value.ts'
import { Expression, Token, TokenKind } from './liquidjs.ts'

/**
 * Filters that our checks add to the parts of a template that liquidjs would evaluate without a limit. No template can
 * name them.
 */
export const addedFilters: FilterFamily = {
  /** The numbers of a range. liquidjs counts forever from 2^53, to which adding 1 changes nothing. */
  ' range': {
    takes: [1, 1],
    charges: true,
    apply: (first, [last = null], { meter }) => {
      const start = Math.trunc(toNumber(first))
      const length = Math.max(Math.trunc(toNumber(last)) - start + 1, 0)
      if (length > meter.rangeLength || !Number.isSafeInteger(start + length)) {
        throw new ExpressionError('limit', `a range has more than ${meter.rangeLength} numbers`)
      }
      meter.elements(length)
      return Array.from({ length }, (_, index) => start + index)
    },
  },

  /** The items of a loop: a text is one item; the items of an object are its [name, value] pairs. */
  ' items': {
    takes: [0, 0],
    charges: true,
    apply: (value, _, run) => {
      if (Array.isArray(value)) {
        run.meter.elements(value.length)
        return value
      }
      if (typeof value === 'string') return value === '' ? [] : [value]
      if (typeof value !== 'object' || value === null) return []
      const members = countMembers(value, run)
      run.meter.step(members)
      run.meter.elements(members)
      return Object.entries(value)
    },
  },

  /** The number of items that a loop takes or passes over. */
  ' count': { takes: [0, 0], apply: (value: JsonValue) => Math.max(Math.trunc(toNumber(value)), 0) },
}

/** Makes a range, in its place, what liquidjs would parse for `first | range: last`. */
export function boundRange(token: RangeToken): void {
  Object.assign(token, {
    kind: TokenKind.FilteredValue,
    ...filtered(' range', token.lhs, [token.rhs], token),
  })
}

/** Returns what liquidjs would parse for `value | filter`. */
export function filteredBy(name: keyof typeof addedFilters, value: LiquidToken): FilteredValueToken {
  const { input, begin, end } = value
  const token = new Filtered(TokenKind.FilteredValue, input, begin, end)
  return Object.assign(token, filtered(name, value, [], value)) as unknown as FilteredValueToken
}

function filtered(name: string, value: LiquidToken, args: LiquidToken[], { input, begin }: LiquidToken) {
  return { initial: new Expression([value]), filters: [{ name, args, input, begin }] }
}

class Filtered extends Token {}
