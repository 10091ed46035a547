import t from 'tap'
import { holdAttacks } from './_attacks.ts'
import { costAttacks } from './attacks.cost.cases.ts'
import { lifeAttacks } from './attacks.life.cases.ts'
import { nameAttacks } from './attacks.names.cases.ts'

t.test('there are enough of them, each with a name of its own', async t => {
  const all = [...nameAttacks, ...costAttacks, ...lifeAttacks]
  t.ok(all.length >= 80, `${all.length} formulas`)
  t.equal(new Set(all.map(({ name }) => name)).size, all.length)
})

holdAttacks(nameAttacks)
