import t from 'tap'
import { didYouMean } from './near-names.ts'

t.test('suggests the names that differ least, in one or two letters', async t => {
  t.equal(didYouMean('storge', ['storage', 'port']), '; did you mean storage?')
  t.equal(didYouMean('lstirp', ['strip', 'lstrip']), '; did you mean lstrip?')
  t.equal(didYouMean('pots', ['port'], '--'), '', 'short names may differ in one letter only')
  t.equal(didYouMean('prot', ['port'], '--'), '; did you mean --port?', 'two letters swapped count as one')
  t.equal(didYouMean('bat', ['cat', 'dog', 'hat']), '; did you mean cat or hat?')
  t.equal(didYouMean('storage', []), '')
  t.equal(didYouMean('x'.repeat(65), ['x'.repeat(65)]), '', 'longer names are not compared')
})
