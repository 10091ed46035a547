// In a process of its own: it starts others.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { runHere } from '../../verify/support/run-here.ts'

const flags = ['--port', '0', '--storage', 'memory:', '--json', '--ready-file']

t.test('the ready file has what a test needs, for its owner only, while the server runs', async t => {
  const file = join(t.testdir({}), 'ready.json')
  writeFileSync(file, '{"pid":1,"url":"http://stale"}', { mode: 0o644 })
  const server = startProcess(t, ['--dev', ...flags, file])
  const [line = ''] = await server.printed(/^.*\n/)
  t.equal(readFileSync(file, 'utf8'), line)
  const { message, url, ...facts } = JSON.parse(line)
  t.equal(message.slice(message.indexOf(' listening on ')), ` listening on ${url}`)
  t.match(facts, {
    pid: Number,
    tenant_id: /^[0-9a-f-]{36}$/,
    public_key: /^key_pub_/,
    private_key: /^key_prv_/,
    management_key: /^key_mgt_/,
    webhook_secret: /^whsec_/,
  })
  t.equal(statSync(file).mode & 0o777, 0o600)
  const headers = { 'SVC-API-KEY': facts.private_key }
  t.equal((await fetch(`${url}/tokens`, { headers })).status, 200)
  process.kill(facts.pid, 'SIGTERM')
  t.match(await server.ended, { code: 0, stdout: line }, 'one line of JSON and nothing else')
  t.notOk(existsSync(file))
})

t.test('without --dev there is no key in it, and a file that another server wrote since stays', async t => {
  const file = join(t.testdir({}), 'ready.json')
  const server = startProcess(t, [...flags, file])
  const [line = ''] = await server.printed(/^.*\n/)
  t.same(Object.keys(JSON.parse(line)), ['message', 'url', 'pid'])
  const other = '{"pid":1,"url":"http://other"}'
  writeFileSync(file, other)
  await server.end()
  t.equal(readFileSync(file, 'utf8'), other)
})

t.test('what an earlier process left is gone before the server is ready', async t => {
  const file = join(t.testdir({}), 'ready.json')
  writeFileSync(file, '{}')
  t.match(await runHere(['--dev', ...flags, file, '--host', 'localhost.invalid']), { code: 2 })
  t.ok(existsSync(file), 'refused before it did anything')
  const late = await runHere([...flags, file, '--host', '192.0.2.1'])
  t.match(late, { code: 2, stderr: /not an address of this machine/ })
  t.notOk(existsSync(file))
})
