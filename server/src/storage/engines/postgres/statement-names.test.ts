import t from 'tap'
import { readState } from './blocks/fold-state.ts'
import * as folding from './blocks/statements.ts'
import * as sql from './sql.ts'

/** A connection refuses a second text under the name of another statement. */
t.test('no two statements have the same name', async t => {
  const all = [...Object.values(sql), ...Object.values(folding), readState].flatMap((one: unknown) =>
    one instanceof Map ? [...one.values()] : one,
  )
  const names = all.flatMap((one: unknown) => {
    const name = typeof one === 'object' && one !== null && 'name' in one ? one.name : undefined
    return typeof name === 'string' ? [name] : []
  })
  t.ok(names.length > 40)
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})
