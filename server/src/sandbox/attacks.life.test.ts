import { holdAttacks } from './_attacks.ts'
import { lifeAttacks } from './attacks.life.cases.ts'

holdAttacks(lifeAttacks)
