import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loader, locateProgram } from './process.ts'

const light = locateProgram('server/testing/light-tap.ts')

/** Runs tests in a process of their own. Resolves with their output. */
function output(tests: string): Promise<string> {
  const program = `import t from '${light}'; const wait = () => new Promise(r => setTimeout(r, 20)); ${tests}`
  const args = [...loader, '--input-type=module', '--eval', program]
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  return new Promise(resolve => execFile(process.execPath, args, { cwd }, (_, stdout) => resolve(stdout)))
}

t.test('an uncaught error fails the test that is running, and the next ones run', async t => {
  for (const error of [
    'setTimeout(() => { throw new Error("late") })',
    'Promise.reject(new Error("late"))',
  ]) {
    const text = await output(`
      t.test('first', async t => t.pass())
      t.test('outer', async t => { await t.test('inner', async () => { ${error}; await wait() }) })
      t.test('last', async t => t.pass())`)
    t.match(text, /^ok 1 - first/m)
    t.match(text, /^ {8}not ok 1 - late/m)
    t.match(text, /^not ok 2 - outer/m)
    t.match(text, /^ok 3 - last/m)
  }
})

t.test('a test may expect an uncaught error itself', async t => {
  const text = await output(`
    t.test('expects', async t => {
      const listener = error => t.match(error, /late/)
      process.on('uncaughtException', listener)
      t.teardown(() => process.off('uncaughtException', listener))
      setTimeout(() => { throw new Error('late') })
      await wait()
    })`)
  t.match(text, /^ok 1 - expects/m)
})
