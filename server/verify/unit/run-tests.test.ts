// In a process of its own: it starts others.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { findTests, groupTests, testsOf, whyOnlyInCi } from './compile-tests.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs tests that are written for this, each in a process of its own. */
async function run(t: Test, files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const texts = Object.entries(files).map(([name, text]) => [
    `${name}.test.ts`,
    `// In a process of its own: .\nimport t from 'tap'\n${text}`,
  ])
  const folder = relative(root, t.testdir(Object.fromEntries(texts)))
  const tests = texts.map(([name]) => `${folder}/${name}`)
  const program = `
    import { runTests } from './server/verify/unit/run-tests.ts'
    process.exitCode = await runTests(${JSON.stringify({ tests, flags })})`
  const { PATH = '', HOME = '' } = process.env
  const argv = ['--import=tsx', '--input-type=module', '--eval', program]
  return new Promise<{ code: number; said: string }>(resolve => {
    execFile(process.execPath, argv, { cwd: root, env: { PATH, HOME } }, (error, said) =>
      resolve({ code: Number(error?.code ?? 0), said }),
    )
  })
}

const good = `t.test('good', async t => t.pass('it is'))`

t.test('whatever goes wrong in a process fails the run', async t => {
  const { code, said } = await run(
    t,
    {
      good,
      fails: `t.test('fails', async t => t.fail('it does'))`,
      empty: 'export {}',
      ends: `t.test('ends', async t => { t.pass('first'); process.exit(0) })`,
      crashes: `t.test('crashes', async t => { t.pass('first'); process.kill(process.pid, 'SIGKILL') })`,
      late: `t.test('late', async () => { setTimeout(() => { throw new Error() }); await new Promise(() => {}) })`,
    },
    '--reporter=tap',
  )
  t.equal(code, 1)
  const failed = [...said.matchAll(/^not ok \d+ - .*\/(\w+)\.test\.js/gm)].map(([, name]) => name)
  t.same(failed.sort(), ['crashes', 'empty', 'ends', 'fails', 'late'])
})

t.test('a test that never ends is ended', async t => {
  const endless = 'setInterval(() => {}, 1000); await new Promise(() => {})'
  const { code } = await run(
    t,
    { good, endless: `t.test('endless', async () => { ${endless} })` },
    '--timeout=3',
  )
  t.equal(code, 1)
})

t.test('a run succeeds only if a test ran', async t => {
  t.match(await run(t, { good }), { code: 0, said: /1 passed, 0 failed, 0 skipped/ })
  t.match(await run(t, { good }, '--grep=/nothing/'), { code: 1, said: /0 passed, 0 failed, 1 skipped/ })
})

t.test('tests that only CI runs say why, and CI runs them', async t => {
  const left = findTests().filter(whyOnlyInCi)
  const wire = left.find(test => test.endsWith('/wire.test.ts')) ?? ''
  t.match(wire, /^conformance/)
  t.ok(left.length <= 10, 'they are exceptions')
  t.same(testsOf([wire]), [wire], 'a path chooses them')
  t.match(
    readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8'),
    /^tap_check .* npm test -- --ci/m,
  )
})

t.test('every test is in one group', async t => {
  const tests = findTests()
  t.same([...groupTests(tests).values()].flat().sort(), tests.toSorted())
})
