import t from 'tap'
import { reading, takeLease, writing } from './sql.ts'

/** A connection refuses a second text under the name of another statement. */
t.test('no two statements have the same name', async t => {
  const names = [...Object.values(reading), ...Object.values(writing), takeLease].map(({ name }) => name)
  t.ok(names.length > 20)
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})
