import { growthCases } from './hostile.growth.cases.ts'
import type { Hostile } from './hostile.model.ts'
import { searchCases } from './hostile.search.cases.ts'

export const hostileCases: readonly Hostile[] = [...growthCases, ...searchCases]
