// In a process of its own: it starts others.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { refusalIn } from '../../verify/support/run-here.ts'

const memory = ['--dev', '--port', '0', '--storage', 'memory:']

t.test('the ready file has what a test needs, for its owner only, while the server runs', async t => {
  const file = join(t.testdir({}), 'ready.json')
  writeFileSync(file, '{"pid":1,"url":"http://stale"}', { mode: 0o644 })
  const server = startProcess(t, [...memory, '--ready-file', file])
  const { url } = await server.ready()
  const facts = JSON.parse(readFileSync(file, 'utf8'))
  t.match(facts, {
    url,
    pid: Number,
    tenant_id: /^[0-9a-f-]{36}$/,
    public_key: /^key_pub_/,
    private_key: /^key_prv_/,
    management_key: /^key_mgt_/,
    webhook_secret: /^whsec_/,
  })
  t.equal(statSync(file).mode & 0o777, 0o600)
  const headers = { 'SVC-API-KEY': facts.private_key }
  t.equal((await fetch(`${facts.url}/tokens`, { headers })).status, 200)
  process.kill(facts.pid, 'SIGTERM')
  t.equal((await server.ended).code, 0)
  t.notOk(existsSync(file))
})

t.test('a file that another server has written since stays', async t => {
  const file = join(t.testdir({}), 'ready.json')
  const server = startProcess(t, [...memory, '--ready-file', file])
  await server.ready()
  const other = '{"pid":1,"url":"http://other"}'
  writeFileSync(file, other)
  await server.end()
  t.equal(readFileSync(file, 'utf8'), other)
})

t.test(
  'what an earlier process left is gone before the server is ready, also if it cannot start',
  async t => {
    const file = join(t.testdir({}), 'ready.json')
    writeFileSync(file, '{}')
    const server = startProcess(t, [...memory, '--ready-file', file, '--host', 'localhost.invalid'])
    t.equal((await server.ended).code, 2)
    t.ok(existsSync(file), 'refused before it did anything')
    const late = startProcess(t, [
      '--port',
      '0',
      '--storage',
      'memory:',
      '--host',
      '192.0.2.1',
      '--ready-file',
      file,
    ])
    t.match(await late.ended, { code: 2, stderr: /not an address of this machine/ })
    t.notOk(existsSync(file))
  },
)

t.test('a file that cannot be written keeps the server from starting', async t => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'folder'))
  for (const path of ['missing/ready.json', 'folder']) {
    const { code, stderr } = await startProcess(t, [...memory, '--ready-file', join(folder, path)]).ended
    t.equal(code, 2, path)
    t.match(refusalIn(stderr), /^the ready file .* cannot be written$/, path)
  }
})

t.test('--json prints one line of JSON and nothing else', async t => {
  const server = startProcess(t, [...memory, '--json'])
  const [line = ''] = await server.printed(/^.*\n/)
  const { message, url, private_key } = JSON.parse(line)
  t.equal(message.slice(message.indexOf(' listening on ')), ` listening on ${url}`)
  t.equal((await fetch(`${url}/tokens`, { headers: { 'SVC-API-KEY': private_key } })).status, 200)
  t.equal((await server.end()).stdout, line)
})

t.test('without --dev there is no key in it', async t => {
  const server = startProcess(t, ['--port', '0', '--storage', 'memory:', '--json'])
  const [line = ''] = await server.printed(/^.*\n/)
  t.same(Object.keys(JSON.parse(line)), ['message', 'url', 'pid'])
  await server.end()
})
