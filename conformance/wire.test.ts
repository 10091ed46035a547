// In a process of its own: it takes long.
// Only in CI: other tests run the command over HTTP with a few cases.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import tap from 'tap'
import { startProcess } from '../server/verify/support/process.ts'
import { conformsOverTheWire, output, targetOf } from './selftest/_over-the-wire.ts'
import { main } from './src/main.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(600_000)
tap.comment('timeout=600000')

/** Runs the command against a server process with LevelDB, like an implementer of a server does. */
tap.test('the reference server conforms over HTTP, and the report says so', async t => {
  const folder = t.testdir({})
  const args = [
    '--dev',
    '--allow-private-callbacks',
    '--port',
    '0',
    '--storage',
    `level:${join(folder, 'data')}`,
  ]
  const server = startProcess(t, args)
  const { url } = await server.ready()
  const target = await targetOf(url)
  const report = join(folder, 'report')
  await conformsOverTheWire(t, target, report)
  for (const name of ['report.json', 'report.html', 'specification.html', 'junit.xml', 'badge.json']) {
    const text = await readFile(join(report, name), 'utf8')
    for (const [setting, value] of Object.entries(target).filter(([one]) => /key|secret/.test(one)))
      t.notOk(text.includes(value), `${name} does not hold the ${setting}`)
  }

  const [core, err] = [output(), output()]
  const environment = { CONFORMANCE_PRIVATE_KEY: target['private-key'] }
  t.equal(await main(['--base-url', url], environment, core, err), 3, 'with one key only')
  t.match(
    core.text,
    /# SKIP not supported: management/,
    'cases that need more than one key are not supported',
  )
  t.match(core.text, /^# verdict: core: \d+ of \d+, partial$/m)
  t.match(core.text, /^# do these next/m)
  await server.end()
})
