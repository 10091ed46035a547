import t from 'tap'
import { testAttacks } from './_attacks.ts'
import { costAttacks } from './attacks.cost.cases.ts'
import { lifeAttacks } from './attacks.life.cases.ts'
import { nameAttacks } from './attacks.names.cases.ts'

t.test('there are enough attacks, with unique names', async t => {
  const all = [...nameAttacks, ...costAttacks, ...lifeAttacks]
  t.ok(all.length >= 80, `${all.length} formulas`)
  t.equal(new Set(all.map(({ name }) => name)).size, all.length)
})

testAttacks(nameAttacks)
