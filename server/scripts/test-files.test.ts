import { readFileSync } from 'node:fs'
import t from 'tap'
import { findTests, groupTests, testsOf, whyOnlyInCi } from './test-files.ts'

t.test('tests that only CI runs say why, and CI runs them', async t => {
  const left = findTests().filter(whyOnlyInCi)
  const wire = left.find(test => test.endsWith('/wire.test.ts')) ?? ''
  t.match(wire, /^conformance/)
  t.ok(left.length < 10, 'they are exceptions')
  t.same(testsOf([wire]), [wire], 'a path chooses them')
  t.match(readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8'), /^tap_check .* npm test -- --ci/m)
})

t.test('every test is in one group, and the longest group is the first', async t => {
  const tests = findTests()
  const slow = tests.find(test => test.startsWith('server/src/base/')) ?? ''
  const groups = groupTests(tests, { [slow]: 1e9 })
  t.same([...groups.values()].flat().sort(), tests.toSorted())
  t.equal([...groups.keys()][0], 'server/src/base/all.test')
})
