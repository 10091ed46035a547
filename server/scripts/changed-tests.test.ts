import t from 'tap'
import { testsOfChanges } from './changed-tests.ts'
import { findTests } from './test-files.ts'

const all = findTests()
const of = (...changed: string[]) => testsOfChanges(all, changed)

t.test('the tests that import what was changed are chosen, others are not', async t => {
  const { tests, farther } = of('server/src/base/merge-patch.ts')
  t.ok(tests.includes('server/src/base/merge-patch.test.ts'))
  t.notOk(tests.includes('server/src/crypto/envelope.test.ts'))
  t.ok(farther.length > 20, 'many tests use it through a whole server')
  t.same(
    farther.filter(test => tests.includes(test)),
    [],
  )
})

t.test('a test that reaches the change only through a whole server is chosen if it is beside it', async t => {
  const { tests, farther } = of('server/src/sessions/authorize.ts')
  t.ok(tests.some(test => test.startsWith('server/src/sessions/')))
  t.ok(farther.includes('server/src/tokens/update.test.ts'))
})

t.test('a changed test is chosen itself, and a file that a test reads counts like an import', async t => {
  const test = 'server/src/base/json.test.ts'
  // This file names it, too.
  t.same(of(test).tests.toSorted(), ['server/scripts/changed-tests.test.ts', test].sort())
  t.ok(of('server/README.md').tests.includes('server/guide.test.ts'))
})

t.test('everything depends on the contract and the packages', async t => {
  for (const path of ['openapi.yaml', 'package-lock.json']) t.same(of(path).tests, all)
  t.same(of().tests, [], 'the control: without changes there are no tests')
})

t.test('sources of the sandbox concern whatever starts it', async t => {
  const { tests } = of('server/src/sandbox/child/boot.child.ts')
  t.ok(tests.includes('server/src/sandbox/pool.test.ts'))
})
