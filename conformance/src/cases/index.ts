import type { Case } from '../harness/case.ts'
import * as all from './all.ts'

/** All cases of the suite. */
export const allCases: readonly Case[] = Object.values(all).flat()
