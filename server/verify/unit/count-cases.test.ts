import { join } from 'node:path'
import t from 'tap'
import { countCases } from './count-cases.ts'

const printed = `TAP version 14
# Subtest: outer
    # Subtest: inner
        ok 1 - one
        ok 2 - two
        1..2
    ok 1 - inner # time=3ms
    # Subtest: fails
        not ok 1 - three
        1..1
    not ok 2 - fails # time=1ms
    1..2
not ok 1 - outer # time=4ms
# Subtest: fails beside its case
    # Subtest: passes
        ok 1 - four
        1..1
    ok 1 - passes # time=1ms
    not ok 2 - five
    1..2
not ok 2 - fails beside its case # time=4ms
ok 3 - left out # SKIP no database
1..3
`

t.test('cases are counted, not their assertions', async t => {
  const folder = t.testdir({
    'one.tap': printed,
    deep: { 'other.tap': 'TAP version 14\nnot ok 1 - alone\n1..1\n' },
  })
  t.same(countCases(join(folder)), { passed: 2, failed: 3, skipped: 1 })
})
