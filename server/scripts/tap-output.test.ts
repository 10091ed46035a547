import t from 'tap'
import { failuresOf, formatCounts, readCounts, skipsOf, sumCounts } from './tap-output.ts'

const output = `TAP version 14
# Subtest: passes
    ok 1 - fine
    1..1
ok 1 - passes # time=1ms

# Subtest: fails
    ok 1 - fine, too
    not ok 2 - wrong
      ---
      at: here
      ...
    1..2
not ok 2 - fails # time=1ms
  ---
  at: there
  ...

# Subtest: other
    ok 1 - of Windows # SKIP this is Linux
    ok 2 - also of Windows # SKIP this is Linux
    1..2
ok 3 - other # time=1ms
1..3
# { total: 5, pass: 2, fail: 1, skip: 2 }
`

t.test('counts are read, added, and spelled as tap does', async t => {
  const counts = readCounts(output)
  t.same(counts, { total: 5, pass: 2, fail: 1, skip: 2, todo: 0 })
  t.equal(formatCounts(sumCounts([counts, counts])), '# { total: 10, pass: 4, fail: 2, skip: 4 }')
  t.equal(formatCounts(sumCounts([])), '# { total: 0 }')
  t.equal(readCounts('TAP version 14\n').total, 0, 'of a process that ended early')
})

t.test('failures are shown with their details, and nothing else', async t => {
  const shown = failuresOf(output)
  t.match(shown, /^# Subtest: fails\n {4}not ok 2 - wrong\n {6}---\n {6}at: here\n/m)
  t.match(shown, /^not ok 2 - fails .*\n {2}---\n {2}at: there\n/m)
  t.notMatch(shown, /passes|fine|Windows/)
})

t.test('skipped tests are counted by their reason', async t => {
  t.same([...skipsOf(output)], [['this is Linux', 2]])
})
