// Only in CI: it runs the hostile formulas that cost most.
// In a process of its own: it takes long.
import { testAttacks } from './_attacks.ts'
import { costAttacks } from './attacks.cost.cases.ts'

testAttacks(costAttacks)
