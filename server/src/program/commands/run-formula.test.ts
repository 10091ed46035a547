import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../../verify/support/process.ts'
import { runHere } from '../../../verify/support/run-here.ts'

const run = (...args: string[]) => runHere(['run-formula', ...args])

/** A file with this code. */
function fileWith(t: { testdir(): string }, code: string): string {
  const file = join(t.testdir(), 'formula.js')
  writeFileSync(file, code)
  return file
}

t.test('prints the result of the formula, and separately what the formula prints', async t => {
  const file = fileWith(t, `module.exports = async req => { console.warn('hello'); return { raw: req } }`)
  const args = ['run-formula', file, '--args', '{"a":[1]}', '--configuration', '{"b":true}']
  // In a process of its own: it may end only when all is printed.
  const { code, stdout, stderr } = await startProcess(t, args).ended
  t.equal(code, 0)
  t.same(JSON.parse(stdout), { raw: { args: { a: [1] }, configuration: { b: true }, svc: null } })
  t.equal(stderr, 'warn: hello\n')
})

t.test('a refusal is printed with its status, and exit code 1', async t => {
  const file = fileWith(
    t,
    `const { BadRequestError } = require('@surrogate/formula-errors')
     module.exports = async () => { throw new BadRequestError({ 'card.cvc': 'is missing' }) }`,
  )
  const { code, stdout, stderr } = await run(file)
  t.equal(code, 1)
  t.same(JSON.parse(stdout), {
    status: 400,
    kind: 'refused',
    error: 'BadRequestError',
    errors: { 'card.cvc': ['is missing'] },
    thrown: { message: '', stack: [`at module.exports (${file}:2:43)`] },
  })
  t.equal(stderr, '')
})

t.test('a failure is printed with its message and lines in the file, and what was printed', async t => {
  const code = `const read = o => o.a.b
module.exports = () => {
  console.log('before')
  return read({})
}`
  const file = fileWith(t, code)
  const { stdout, stderr } = await run(file)
  t.match(JSON.parse(stdout), {
    kind: 'failed',
    detail: 'the formula threw a TypeError at line 1',
    thrown: {
      message: "Cannot read properties of undefined (reading 'b')",
      stack: [`at read (${file}:1:23)`, `at module.exports (${file}:4:10)`],
    },
  })
  t.equal(stderr, 'log: before\n')
})

t.test('a formula that could not be run gets one sentence and exit code 2', async t => {
  const file = fileWith(t, 'module.exports = async () => ({ raw: 1 })')
  const latin = `${file}.latin.js`
  writeFileSync(latin, `module.exports = () => ({ raw: 'Caf\u00e9' })`, 'latin1')
  for (const [args, says] of [
    [[`${file}x`], /cannot be read/],
    [[latin], /latin.js is not UTF-8 \(at byte 35\)/],
    [[file, '--args', '{"a":4242'], /--args is not well-formed JSON \(at character \d+\)/],
    [[file, '--configuration', '[]'], /--configuration must be a JSON object/],
    [[file, '--formula-module', 'no-such-package'], /no-such-package cannot be provided/],
    [[], /expected FILE/],
  ] as const) {
    const { code, stdout, stderr } = await run(...args)
    t.same({ code, stdout }, { code: 2, stdout: '' }, String(says))
    t.match(stderr, says)
    t.match(stderr, /^surrogate-server: [^\n]+\n$/, 'one sentence')
    t.notMatch(stderr, /4242/)
  }
  writeFileSync(file, '\ufeffmodule.exports = () => ({ raw: 1 })')
  t.match(await run(file), { code: 0 }, 'the file as such is fine, and its byte-order mark skipped')
})
