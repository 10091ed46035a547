import { aliasingFilters } from './aliasing.ts'
import { castingFilters } from './casting.ts'
import { dateFilters } from './date.ts'
import type { Filter } from './filter.ts'
import { jsonFilters } from './json.ts'
import { listFilters } from './lists.ts'
import { maskingFilters } from './masking.ts'
import { mathFilters } from './math.ts'
import { textFilters } from './texts.ts'

/** The filters that a vault adds to Liquid. */
const own = { ...maskingFilters, ...aliasingFilters, ...castingFilters, ...jsonFilters }

/** The filters of Liquid. Those that only liquidjs has are left out: they hash, sample or print host objects. */
const standard = {
  ...mathFilters,
  ...textFilters,
  ...listFilters,
  ...dateFilters,
}

// Requirements: EXP-502, TOK-055
export const allFilters: ReadonlyMap<string, Filter> = new Map<string, Filter>(
  Object.entries({ ...standard, ...own }),
)
