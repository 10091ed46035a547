import { testAttacks } from './_attacks.ts'
import { lifeAttacks } from './attacks.life.cases.ts'

testAttacks(lifeAttacks)
