import { holdAttacks } from './_attacks.ts'
import { costAttacks } from './attacks.cost.cases.ts'

holdAttacks(costAttacks)
