import { everyResponseCases } from '../src/cases/matrices/every-response.ts'
import { instantCases } from '../src/cases/matrices/instants.ts'
import { nearCases } from '../src/cases/matrices/near.ts'
import { pageCases } from '../src/cases/matrices/pages.ts'
import { unchangedCases } from '../src/cases/matrices/unchanged.ts'
import { undoneCases } from '../src/cases/matrices/undone.ts'
import { undoneManagedCases } from '../src/cases/matrices/undone-managed.ts'
import type { Case } from '../src/harness/case.ts'

interface Group {
  readonly cases: readonly Case[]
  /** A mutant that no case outside the group detects. What the run checks in each response, cases of all groups detect. */
  readonly alone: string
}

/** Groups of cases that each catch a kind of fault which had gone unnoticed. */
export const groups: Readonly<Record<string, Group>> = {
  'fidelity of data': { cases: unchangedCases, alone: 'escapes-markup' },
  'refused means undone': {
    cases: [...undoneCases, ...undoneManagedCases],
    alone: 'refused-create-makes-formula',
  },
  'near misses': { cases: nearCases, alone: 'keys-in-any-case' },
  'each response': { cases: everyResponseCases, alone: 'allow-lists-every-method' },
  'bounds and ends of lists': { cases: pageCases, alone: 'jobs-25-by-default' },
  'instants and answers': { cases: instantCases, alone: 'counts-mentions-of-tokens' },
}

/** Returns the group of a case, if it has one. */
export const groupOf = (id: string): string | undefined =>
  Object.entries(groups).find(([, { cases }]) => cases.some(one => one.id === id))?.[0]
