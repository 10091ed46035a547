// Only in CI: it bundles the program and starts it.
// In a process of its own: it starts processes and bundles the program.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import tap from 'tap'
import { createVault } from '../../server/src/index.ts'
// @ts-expect-error: a script without types
import { bundle } from '../scripts/bundle.mjs'
import { listen, respondsToProbe } from './hostile.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(600_000)
tap.comment('timeout=600000')

/** The whole suite in one file, in an empty folder, with Node alone. */
const folder = tap.testdir({})
const program = join(folder, 'suite.mjs')
await bundle(program)

tap.test('the single file runs with Node alone, with plain requests and through the client', async t => {
  const vault = createVault({ dev: true })
  t.teardown(() => vault.close())
  const { port } = await vault.listen()
  const { privateKey } = await vault.createTenant()
  const base = [program, '--base-url', `http://127.0.0.1:${port}`, '--private-key', privateKey]
  for (const through of ['http', 'sdk']) {
    const argv = [...base, '--through', through, '--only', 'TOK-001', '--only', 'DAT-*']
    const { code, stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder, env: {} }).then(
      () => ({ code: 0, stdout: '' }),
      (error: { code: number; stdout: string }) => error,
    )
    t.equal(code, 3, 'partial, since most cases were not selected')
    t.match(stdout, /^ok \d+ - TOK-001\.a [^#]*$/m, through)
    const passed = stdout.match(/^ok \d+ - (?!.* # SKIP )/gm) ?? []
    t.ok(passed.length >= 12, `${passed.length} cases were run through ${through}`)
    t.match(stdout, new RegExp(`^# verdict: core: ${passed.length} of \\d+, partial$`, 'm'), through)
    t.notMatch(stdout, /^not ok/m, through)
  }
})

tap.test('an interrupted run writes a report, and its process ends', async t => {
  let reached = () => {}
  const waiting = new Promise<void>(resolve => {
    reached = resolve
  })
  const { url } = await listen(t, (request, response) => {
    if (!respondsToProbe(request, response)) reached()
  })
  const report = join(folder, 'report')
  const child = spawn(
    process.execPath,
    [program, '--base-url', url, '--private-key', 'key_prv_secret', '--report', report],
    { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  const ended = once(child, 'close')
  await Promise.race([waiting, ended])
  child.kill('SIGINT')
  const [code] = await ended
  t.equal(code, 2, text)
  t.match(text, /^Bail out! interrupted by SIGINT$/m)
  const found = JSON.parse(await readFile(join(report, 'report.json'), 'utf8'))
  t.match(found, { invalid: 'interrupted by SIGINT', verdicts: { core: 'incomplete' } })
})
