import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { withPostgres } from './support/postgres.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The command, on a machine where nothing can be started, or on this one. */
async function testEngines(platform: string, environment: Record<string, string>, ...files: string[]) {
  const program = `
    Object.defineProperty(process, 'platform', { value: '${platform}' })
    await import('./server/verify/engines.ts')`
  // Neither who runs this test nor its server must reach what is tested.
  const { PATH = '', HOME = '' } = process.env
  const argv = ['--import=tsx', '--input-type=module', '--eval', program, '--', 'as a script', ...files]
  return new Promise<{ code: number; said: string }>(resolve => {
    const env = { PATH, HOME, ...environment }
    execFile(process.execPath, argv, { cwd: root, env }, (error, said) =>
      resolve({ code: Number(error?.code ?? 0), said }),
    )
  })
}

t.test('where there is no PostgreSQL it says why, and CI must not miss it', async t => {
  t.match(await testEngines('win32', {}), { code: 0, said: /^skipped: there is no PostgreSQL here: \S/ })
  t.match(await testEngines('win32', { CI: 'true' }), { code: 1, said: /^skipped: / })
})

t.test('where there is one, the tests run on it, and their result counts', withPostgres, async t => {
  const file = 'server/src/base/secret.test.ts'
  const done = await testEngines(process.platform, { CI: 'true' }, file)
  t.match(done, {
    code: 0,
    said: /^[1-9]\d* passed, 0 failed, 0 skipped\n\n1 files were run on PostgreSQL\n/m,
  })
  t.equal((await testEngines(process.platform, {}, '--no-such-flag', file)).code, 1)
})
