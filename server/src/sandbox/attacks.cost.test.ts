// In a process of its own: it takes long.
import { holdAttacks } from './_attacks.ts'
import { costAttacks } from './attacks.cost.cases.ts'

holdAttacks(costAttacks)
