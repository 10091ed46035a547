import type { Case } from '../harness/case.ts'
import * as all from './all.ts'

/** All cases of the suite, in the order of their ids. */
export const allCases: readonly Case[] = Object.values(all)
  .flat()
  .sort((one, other) => (one.id < other.id ? -1 : 1))
