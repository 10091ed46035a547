import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import tap from 'tap'
import { startProcess } from '../server/testing/process.ts'
import { main } from './main.ts'

/** The command against the server as a process on a disk, as whoever implements a server runs it. */
const output = () => {
  const said = { text: '', write: (text: string) => (said.text += text) }
  return said
}

tap.test('the reference server conforms over the wire, and the report says so', async t => {
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
  const tenant = async () =>
    (await (await fetch(`${url}/_dev/tenants`, { method: 'POST' })).json()) as Record<string, string>
  const [own, other] = [await tenant(), await tenant()]
  const target = {
    'base-url': url,
    'private-key': own.private_key,
    'public-key': own.public_key,
    'management-key': own.management_key,
    'other-private-key': other.private_key,
    'other-management-key': other.management_key,
    'webhook-secret': own.webhook_secret,
    'clock-url': `${url}/_dev/clock`,
    'callback-host': '127.0.0.1',
  }
  const report = join(folder, 'report')
  const flags = Object.entries(target).flatMap(([name, value = '']) => [`--${name}`, value])
  const [out, err] = [output(), output()]
  const code = await main([...flags, '--profile', 'surrogate', '--report', report], {}, out, err)
  t.equal(
    code,
    0,
    out.text
      .split('\n')
      .filter(line => /^not ok|^Bail|^# /.test(line))
      .join('\n'),
  )
  t.match(out.text, /^# verdict: core conformant, surrogate conformant$/m)
  const said = JSON.parse(await readFile(join(report, 'report.json'), 'utf8'))
  t.same(
    said.cases.filter((one: { outcome: string }) => one.outcome !== 'pass'),
    [],
    'nothing was left out',
  )
  t.comment(`${said.cases.length} cases in ${said.duration_ms} ms`)
  for (const name of ['report.json', 'report.html', 'junit.xml', 'badge.json']) {
    const text = await readFile(join(report, name), 'utf8')
    for (const [setting, value = ''] of Object.entries(target).filter(([one]) => /key|secret/.test(one)))
      t.notOk(text.includes(value), `${name} does not hold the ${setting}`)
  }

  const core = output()
  t.equal(await main(['--base-url', url], { CONFORMANCE_PRIVATE_KEY: own.private_key ?? '' }, core, err), 0)
  t.match(core.text, /# SKIP not supported: management/, 'what one key does not show is not supported')
  t.match(core.text, /^# verdict: core conformant$/m)
  await server.end()
})
