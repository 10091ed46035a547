// In a process of its own: it takes long.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { filesUnder } from '../../verify/support/files.ts'
import { startProcess } from '../../verify/support/process.ts'
import { runHere } from '../../verify/support/run-here.ts'
import { makeReactorOver, mustCallOver } from '../../verify/support/started-replicas.ts'

/** The server as a process: what it prints, how it refuses to start, how it ends, what lies on disk. */
const { PATH = '' } = process.env
const hasCurl = PATH.split(':').some(folder => existsSync(join(folder, 'curl')))
const hasScript = PATH.split(':').some(folder => existsSync(join(folder, 'script')))
const withScript = hasScript ? {} : { skip: 'there is no script here, of util-linux' }
const masterKey = Buffer.alloc(32, 7).toString('base64')

const shown = (text: string, name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? ''

/** The files that hold these bytes. */
const holding = (folder: string, text: string) =>
  filesUnder(folder).filter(path => readFileSync(path).includes(text))

t.test('a development server prints its keys, keeps them, and keeps the data sealed', async t => {
  const folder = t.testdir({})
  const args = ['--dev', '--port', '0', '--storage', `level:${folder}`]
  const first = startProcess(t, args)
  const { url } = await first.ready()
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
  const [, line = ''] = await first.printed(/^ +(curl .*)\n/m)
  const [, privateKey = ''] = await first.printed(/private key +(\S+)\n/)
  const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }

  await t.test('the printed curl command works', { skip: !hasCurl && 'there is no curl here' }, async t => {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { env: { PATH } })
    t.match(JSON.parse(stdout), { type: 'card', data: { number: 'XXXXXXXXXXXX4242' } })
  })
  const body = JSON.stringify({
    id: 'an-id-on-disk',
    type: 'card',
    data: { number: '5555555555554444' },
    metadata: { customer: 'a-value-on-disk' },
    containers: ['/a-container-on-disk/'],
  })
  t.equal((await fetch(`${url}/tokens`, { method: 'POST', headers, body })).status, 201)
  const before = (await first.end()).stdout
  for (const [kind, prefix] of Object.entries({ public: 'pub', private: 'prv', management: 'mgt' }))
    t.match(shown(before, `${kind} key`), new RegExp(`^key_${prefix}_[\\w-]{64}$`))
  t.match(shown(before, 'webhook secret'), /^whsec_/)
  t.match(before, /made a master key .*master\.key/)
  const page = `${url}/_dev#key=${shown(before, 'management key')}\n`
  t.ok(before.includes(page), 'an address that signs in, whose fragment is not sent')

  const ignored = (await readFile(join(folder, '.gitignore'), 'utf8')).split('\n')
  for (const name of await readdir(folder)) {
    const lines = [`/${name}`, `/${name}/`, `/${name}*`]
    t.ok(
      lines.some(line => ignored.includes(line)),
      `git ignores ${name}`,
    )
  }

  const keyFile = join(folder, 'master.key')
  t.equal((await stat(keyFile)).mode & 0o777, 0o600)
  const seen = await holding(folder, (await readFile(keyFile, 'utf8')).trim())
  t.same(seen, [keyFile], 'the control: files are searched')
  for (const secret of [
    ...['5555555555554444', 'a-value-on-disk', 'an-id-on-disk', 'a-container-on-disk', 'customer'],
    ...[privateKey, shown(before, 'webhook secret'), shown(before, 'management key')],
  ])
    t.same(await holding(folder, secret), [], secret)

  const second = startProcess(t, args)
  const again = await second.ready()
  const found = await fetch(`${again.url}/tokens/an-id-on-disk`, { headers })
  t.match(await found.json(), {
    data: { number: '5555555555554444' },
    metadata: { customer: 'a-value-on-disk' },
  })
  await second.printed(/curl .*\n/)
  const after = (await second.end()).stdout
  for (const name of ['public key', 'private key', 'management key', 'webhook secret'])
    t.equal(shown(after, name), shown(before, name), `the ${name} is the same`)
  t.notMatch(after, /made a master key/)
})

/** Writes a bootstrap file with one application. */
async function writeBootstrap(path: string, given: object): Promise<void> {
  const application = { id: '00000000-0000-4000-8000-000000000001', name: 'A', type: 'private' }
  const applications = [{ ...application, permissions: ['token:read'], key: 'a-key-of-the-file', ...given }]
  const tenants = [{ id: '5b493235-6917-4307-906a-2cd6f1a90b13', applications }]
  await writeFile(path, JSON.stringify({ tenants }))
}

t.test('a production server applies its bootstrap file, and prints no key', async t => {
  const folder = t.testdir()
  const path = join(folder, 'bootstrap.json')
  await writeBootstrap(path, {})
  const server = startProcess(t, ['--port', '0', '--bootstrap', path, '--header-prefix', 'ACME'], {
    SURROGATE_MASTER_KEY: masterKey,
    SURROGATE_STORAGE: `level:${join(folder, 'data')}`,
  })
  const { url } = await server.ready()
  t.equal((await fetch(`${url}/tokens`, { headers: { 'ACME-API-KEY': 'a-key-of-the-file' } })).status, 200)
  t.equal((await fetch(`${url}/_dev/clock`, { method: 'POST', body: '{"advance_ms":1}' })).status, 404)
  const { stdout } = await server.end()
  t.match(
    stdout,
    /^[^\n]* listening on [^\n]*\n(formulas [^\n]*\n)?$/,
    'the ready line, and the layers that isolate formulas',
  )
  t.notMatch(stdout, /key/)
  t.same(await holding(join(folder, 'data'), 'a-key-of-the-file'), [])
  t.same(await holding(join(folder, 'data'), masterKey), [])
  t.notOk(existsSync(join(folder, 'data', 'master.key')))
})

t.test('SIGHUP reads the bootstrap file again, and a broken file changes nothing', async t => {
  const path = join(t.testdir(), 'bootstrap.json')
  await writeBootstrap(path, {})
  const args = ['--port', '0', '--storage', 'memory:', '--bootstrap', path, '--log-level', 'info']
  const server = startProcess(t, args)
  const { url } = await server.ready()
  const status = async (key = 'a-key-of-the-file') =>
    (await fetch(`${url}/tokens`, { headers: { 'SVC-API-KEY': key } })).status
  t.equal(await status(), 200)
  await writeFile(path, '{"tenants":[')
  server.signal('SIGHUP')
  await server.logged(
    /"level":"error","event":"reload refused","reason":"the bootstrap file .+ is not well-formed JSON.*"\}\n/,
  )
  t.equal(await status(), 200)
  await writeBootstrap(path, { key: 'short' })
  server.signal('SIGHUP')
  await server.logged(
    /"event":"reload refused","reason":"the bootstrap file is not valid: tenants\.0\.app.*"\}\n/,
  )
  t.equal(await status(), 200)
  await writeBootstrap(path, { removed: true })
  server.signal('SIGHUP')
  await server.logged(/"event":"reload","file":".+"\}\n/)
  t.equal(await status(), 401)
  await writeBootstrap(path, { key: 'another-key-of-the-file' })
  server.signal('SIGHUP')
  await server.logged(/("event":"reload",(.|\n)*){2}/)
  t.equal(await status('another-key-of-the-file'), 200)
  t.equal((await server.end()).code, 0)
})

t.test('a server ends with the terminal that it was started in', withScript, async t => {
  const folder = t.testdir()
  const file = join(folder, 'ready')
  const inTerminal = `exec script --quiet --flush --command "$(printf '%q ' "$@")" ${join(folder, 'log')}`
  const args = ['--port', '0', '--storage', 'memory:', '--ready-file', file]
  const terminal = startProcess(t, args, { SHELL: '/bin/bash' }, ['/bin/bash', '-c', inTerminal, 'bash'])
  await terminal.printed(/listening on/)
  t.ok(existsSync(file))
  await terminal.end('SIGKILL')
  // The server removes it when it ends, and only then.
  while (existsSync(file)) await new Promise(setImmediate)
})

/** Processes of formulas may end at any time. */
const read = (path: string) => readFile(path, 'utf8').catch(() => '')

/** Returns the processes that run Node, of one and all that it started. */
async function nodesOf(pid: number): Promise<number[]> {
  const command = await read(`/proc/${pid}/cmdline`)
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(' ').filter(Boolean).map(Number)
  const below = (await Promise.all(children.map(nodesOf))).flat()
  return command.startsWith(`${process.execPath}\0`) ? [pid, ...below] : below
}

const onLinux = process.platform === 'linux' ? {} : { skip: 'it looks into /proc' }

t.test('SIGUSR1 opens no debugger in the server and in processes of formulas', onLinux, async t => {
  const server = startProcess(t, ['--port', '0', '--storage', 'memory:', '--dev', '--json'])
  const [line] = await server.printed(/^\{.*\}$/m)
  const { url, pid, management_key, private_key } = JSON.parse(line)
  const path = await makeReactorOver(url, management_key, 'module.exports = async () => ({ raw: 1 })')
  const react = () => mustCallOver(200, url, private_key, 'POST', path, { args: {} })
  await react()
  const nodes = await nodesOf(pid)
  t.ok(nodes.length > 1, 'some run formulas')
  for (const one of nodes) {
    try {
      process.kill(one, 'SIGUSR1')
    } catch {
      // It has ended.
    }
  }
  await react()
  // The port of the debugger is 9229, in hexadecimal 240D. Each may have a network of its own.
  for (const one of nodes) t.notMatch(await read(`/proc/${one}/net/tcp`), /:240D 00000000:0000 0A/)
  const { code: exitCode, stderr } = await server.end()
  t.equal(exitCode, 0)
  t.notMatch(stderr, /Debugger/)
})

t.test('a debugger that was asked for opens, and without a bootstrap file nothing is reloaded', async t => {
  const server = startProcess(t, ['--port', '0', '--storage', 'memory:', '--dev'], {
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  })
  await server.ready()
  server.signal('SIGUSR1')
  server.signal('SIGHUP')
  await server.logged(/"event":"nothing to reload, as there is no bootstrap file"/)
  t.match((await server.end()).stderr, /Debugger listening on ws:\/\/127\.0\.0\.1:\d+/)
})

t.test('after a signal the server finishes requests in flight, then exits', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const folder = t.testdir({})
    const server = startProcess(t, ['--dev', '--port', '0', '--storage', `level:${folder}`])
    const { port } = await server.ready()
    const [, key = ''] = await server.printed(/private key +(\S+)\n/)
    const body = '{"type":"token","data":1}'
    const silent = await opened(port)
    const socket = await opened(port)
    const received = { text: '' }
    socket.on('data', data => {
      received.text += data
    })
    socket.write(
      [
        ...['POST /tokens HTTP/1.1', 'Host: x', `SVC-API-KEY: ${key}`, 'Content-Type: application/json'],
        ...[`Content-Length: ${body.length}`, 'Expect: 100-continue', '', ''],
      ].join('\r\n'),
    )
    while (!received.text.includes('100 Continue')) await new Promise(setImmediate)
    const ended = server.end(signal)
    while (await accepts(port)) await new Promise(setImmediate)
    socket.write(body)
    const { code, stderr } = await ended
    t.match(received.text, /HTTP\/1\.1 201 Created/, `${signal}: it was answered`)
    t.equal(code, 0, signal)
    t.equal(stderr, '', signal)
    silent.destroy()
  }
})

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

const accepts = (port: number) =>
  opened(port).then(
    socket => {
      socket.destroy()
      return true
    },
    () => false,
  )

t.test('after a signal a server drains, not ready but serving, until a second signal', async t => {
  const flags = ['--dev', '--port', '0', '--storage', 'memory:', '--log-level', 'info']
  const server = startProcess(t, [...flags, '--drain-seconds', '3600', '--metrics-port', '0'])
  const { url } = await server.ready()
  const [, metrics = ''] = await server.printed(/^metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)$/m)
  const [, key = ''] = await server.printed(/private key +(\S+)\n/)
  const status = async (address: string) => {
    const response = await fetch(address, { headers: { 'SVC-API-KEY': key, Connection: 'close' } })
    await response.arrayBuffer()
    return response.status
  }
  t.equal(await status(`${url}/readyz`), 200)
  t.equal(await status(metrics), 200)
  const ended = server.end()
  while ((await status(`${url}/readyz`)) === 200) await new Promise(setImmediate)
  t.equal(await status(`${url}/readyz`), 503)
  t.equal(await status(`${url}/livez`), 200)
  t.equal(await status(`${url}/tokens`), 200)
  t.equal(await status(metrics.replace('/metrics', '/readyz')), 503)
  void server.end()
  const { code, stderr } = await ended
  t.equal(code, 0)
  const lines = stderr
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(lines, [
    { level: 'info', event: 'start', version: /^\d+\./, storage: 'memory', pid: Number, dev: true },
    { event: 'ready', url, metrics: metrics.replace('/metrics', '') },
    { event: 'drain', signal: 'SIGTERM', seconds: 3600 },
    { level: 'info', event: 'request', operation: 'tokens.list', status: 200, peer: '127.0.0.1' },
    { event: 'stop', exit_code: 0 },
  ])
  t.equal(lines.length, 5)
})

t.test('--help and --version print, and open nothing', async t => {
  t.match(await runHere(['--help']), { code: 0, stderr: '', stdout: /--header-prefix/ })
  t.match(await runHere(['--version']), { code: 0, stderr: '', stdout: /^\d+\.\d+\.\d+\n$/ })
})
