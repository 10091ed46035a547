import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

/** The server as a process: what it prints, how it refuses to start, how it ends, what lies on disk. */
const root = fileURLToPath(new URL('..', import.meta.url))
const program =
  "import { main } from './server/main.ts'; process.exitCode = await main(process.argv.slice(1), process.env)"
const { PATH = '', HOME = '' } = process.env
const masterKey = Buffer.alloc(32, 7).toString('base64')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  /** Resolves with what it says once it listens; rejects when it ends before that. */
  readonly ready: Promise<{ readonly url: string; readonly port: number }>
  readonly ended: Promise<Ended>
  /** What it has printed so far. */
  stdout(): string
  kill(signal: NodeJS.Signals): void
}

function run(
  t: { teardown(task: () => unknown): void },
  args: readonly string[],
  environment: Record<string, string> = {},
): Running {
  const node = ['--import=tsx', '--input-type=module', '--eval', program, '--', ...args]
  const child = spawn(process.execPath, node, { cwd: root, env: { PATH, HOME, ...environment } })
  const [out, err]: [string[], string[]] = [[], []]
  child.stderr.on('data', data => err.push(String(data)))
  const ended = new Promise<Ended>(resolve => {
    child.on('close', code => resolve({ code, stdout: out.join(''), stderr: err.join('') }))
  })
  const ready = new Promise<{ url: string; port: number }>((resolve, reject) => {
    child.stdout.on('data', data => {
      out.push(String(data))
      const [, url = '', port] = /listening on (http:\/\/[^\s:]+:(\d+))\n/.exec(out.join('')) ?? []
      if (url !== '') resolve({ url, port: Number(port) })
    })
    ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)))
  })
  ready.catch(() => {})
  t.teardown(() => {
    child.kill('SIGKILL')
    return ended
  })
  return { ready, ended, stdout: () => out.join(''), kill: signal => child.kill(signal) }
}

const shown = (text: string, name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? ''

/** Stops it and gives all it has printed. */
async function stop(server: Running): Promise<string> {
  server.kill('SIGTERM')
  return (await server.ended).stdout
}

async function* files(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else yield path
  }
}

/** The files that hold these bytes. */
async function holding(folder: string, text: string): Promise<string[]> {
  const found: string[] = []
  for await (const path of files(folder)) if ((await readFile(path)).includes(text)) found.push(path)
  return found
}

t.test('a development server prints its keys, keeps them, and keeps the data sealed', async t => {
  const folder = t.testdir({})
  const args = ['--dev', '--port', '0', '--storage', `level:${folder}`]
  const first = run(t, args)
  const { url } = await first.ready
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
  const line = await printed(first, /^ +(curl .*)$/m)
  const privateKey = shown(first.stdout(), 'private key')
  const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }

  await t.test(
    'the line for curl works as it is pasted',
    { skip: !hasCurl && 'there is no curl here' },
    async t => {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { env: { PATH } })
      t.match(JSON.parse(stdout), { type: 'card', data: { number: 'XXXXXXXXXXXX4242' } })
    },
  )
  const body = JSON.stringify({
    id: 'an-id-on-disk',
    type: 'card',
    data: { number: '5555555555554444' },
    metadata: { customer: 'a-value-on-disk' },
    containers: ['/a-container-on-disk/'],
  })
  t.equal((await fetch(`${url}/tokens`, { method: 'POST', headers, body })).status, 201)
  const before = await stop(first)
  for (const [kind, prefix] of [
    ['public', 'pub'],
    ['private', 'prv'],
    ['management', 'mgt'],
  ] as const) {
    t.match(shown(before, `${kind} key`), new RegExp(`^key_${prefix}_[\\w-]{32}$`))
  }
  t.match(shown(before, 'webhook secret'), /^whsec_/)
  t.match(before, /made a master key .*master\.key/)

  const keyFile = join(folder, 'master.key')
  t.equal((await stat(keyFile)).mode & 0o777, 0o600)
  t.same(
    await holding(folder, (await readFile(keyFile, 'utf8')).trim()),
    [keyFile],
    'the control: files are searched',
  )
  const secrets = ['5555555555554444', 'a-value-on-disk', 'an-id-on-disk', 'a-container-on-disk', privateKey]
  for (const secret of [
    ...secrets,
    'customer',
    shown(before, 'webhook secret'),
    shown(before, 'management key'),
  ]) {
    t.same(await holding(folder, secret), [], secret)
  }

  const second = run(t, args)
  const again = await second.ready
  const found = await fetch(`${again.url}/tokens/an-id-on-disk`, { headers })
  t.match(await found.json(), {
    data: { number: '5555555555554444' },
    metadata: { customer: 'a-value-on-disk' },
  })
  await printed(second, /^ +(curl .*)$/m)
  const after = await stop(second)
  for (const name of ['public key', 'private key', 'management key', 'webhook secret']) {
    t.equal(shown(after, name), shown(before, name), `the ${name} is the same`)
  }
  t.notMatch(after, /made a master key/)
})

const hasCurl = PATH.split(':').some(folder => existsSync(join(folder, 'curl')))

/** Waits for a line that comes after the one that says it is ready. */
async function printed(server: Running, pattern: RegExp): Promise<string> {
  for (;;) {
    const match = pattern.exec(server.stdout())
    if (match) return match[1] ?? ''
    await new Promise(setImmediate)
  }
}

t.test('a production server is set up from a file, and prints no key', async t => {
  const folder = t.testdir({
    'bootstrap.json': JSON.stringify({
      tenants: [
        {
          id: '5b493235-6917-4307-906a-2cd6f1a90b13',
          applications: [
            {
              id: '00000000-0000-4000-8000-000000000001',
              name: 'A',
              type: 'private',
              key: 'a-key-of-the-file',
              permissions: ['token:read'],
            },
          ],
        },
      ],
    }),
  })
  const server = run(
    t,
    ['--port', '0', '--bootstrap', join(folder, 'bootstrap.json'), '--header-prefix', 'ACME'],
    {
      SURROGATE_MASTER_KEY: masterKey,
      SURROGATE_STORAGE: `level:${join(folder, 'data')}`,
    },
  )
  const { url } = await server.ready
  t.equal((await fetch(`${url}/tokens`, { headers: { 'ACME-API-KEY': 'a-key-of-the-file' } })).status, 200)
  t.equal((await fetch(`${url}/_dev/clock`, { method: 'POST', body: '{"advance_ms":1}' })).status, 404)
  const stdout = await stop(server)
  t.equal(stdout.split('\n').length, 2, 'the line that it is ready, and nothing else')
  t.notMatch(stdout, /key/)
  t.same(await holding(join(folder, 'data'), 'a-key-of-the-file'), [])
  t.same(await holding(join(folder, 'data'), masterKey), [])
  t.notOk(existsSync(join(folder, 'data', 'master.key')))
})

t.test('a start that cannot succeed ends with code 2 and one sentence', async t => {
  const folder = t.testdir({
    data: {},
    file: 'no folder',
    'cut-off.json': '{"tenants":[',
    'wrong.json': '{"tenants":[{"id":"shop"}]}',
  })
  const storage = `level:${join(folder, 'data')}`
  const keyed = { SURROGATE_MASTER_KEY: masterKey }
  const busy = createServer().listen(0, '127.0.0.1')
  t.teardown(() => busy.close())
  const { port } = busy.address() as { port: number }
  const holder = run(t, ['--port', '0', '--storage', storage], keyed)
  await holder.ready
  await t.test('while another server has the folder', async t => {
    await refused(t, ['--port', '0', '--storage', storage], keyed, /in use by another process/)
  })
  await stop(holder)

  const memory = ['--port', '0', '--storage', 'memory:']
  const cases: readonly [name: string, args: string[], environment: Record<string, string>, says: RegExp][] =
    [
      ['a flag that there is not', ['--prot', '4000'], {}, /--prot/],
      ['a variable that says nothing', memory, { SURROGATE_DEV: 'maybe' }, /SURROGATE_DEV/],
      ['dev on every address', [...memory, '--dev', '--host', '0.0.0.0'], {}, /loopback/],
      ['no such storage', ['--port', '0', '--storage', 'sqlite:x'], {}, /storage/],
      [
        'no such bootstrap file',
        [...memory, '--bootstrap', join(folder, 'none.json')],
        {},
        /none\.json cannot be read/,
      ],
      [
        'a bootstrap file that is no JSON',
        [...memory, '--bootstrap', join(folder, 'cut-off.json')],
        {},
        /cut-off\.json .*JSON/,
      ],
      [
        'a bootstrap file that is wrong',
        [...memory, '--bootstrap', join(folder, 'wrong.json')],
        {},
        /tenants\.0\.id/,
      ],
      ['no master key', ['--port', '0', '--storage', storage], {}, /SURROGATE_MASTER_KEY/],
      [
        'another master key',
        ['--port', '0', '--storage', storage],
        { SURROGATE_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') },
        /master key/,
      ],
      ['a master key cut off', memory, { SURROGATE_MASTER_KEY: masterKey.slice(4) }, /SURROGATE_MASTER_KEY/],
      ['a port that is taken', ['--port', String(port), '--storage', 'memory:'], {}, /port is taken/],
      ['a host of another machine', [...memory, '--host', '192.0.2.1'], {}, /host/],
      [
        'a file in the place of the folder',
        ['--port', '0', '--storage', `level:${join(folder, 'file')}`],
        keyed,
        /data folder/,
      ],
    ]
  for (const [name, args, environment, says] of cases)
    await t.test(name, async t => refused(t, args, environment, says))

  const control = run(t, ['--port', '0', '--storage', storage], keyed)
  await control.ready
  t.equal((await stop(control)).includes('listening'), true, 'the control: nothing of this did any harm')
})

type Tap = Pick<typeof t, 'equal' | 'match' | 'notMatch' | 'teardown'>

async function refused(
  t: Tap,
  args: string[],
  environment: Record<string, string>,
  says: RegExp,
): Promise<void> {
  const { code, stdout, stderr } = await run(t, args, environment).ended
  t.match(stderr, /^surrogate-server: [^\n]+\n$/, 'one line')
  t.match(stderr, says)
  t.equal(code, 2)
  t.notMatch(stdout, /listening/)
}

t.test('a master key that was damaged is refused', async t => {
  const folder = t.testdir({})
  await writeFile(join(folder, 'master.key'), 'half a key')
  await refused(t, ['--dev', '--port', '0', '--storage', `level:${folder}`], {}, /master\.key/)
})

t.test('a signal lets what is in flight finish, then the server leaves', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const folder = t.testdir({})
    const server = run(t, ['--dev', '--port', '0', '--storage', `level:${folder}`])
    const { port } = await server.ready
    await printed(server, /^ +(curl .*)$/m)
    const body = '{"type":"token","data":1}'
    const silent = await opened(port)
    const socket = await opened(port)
    const received = { text: '' }
    socket.on('data', data => {
      received.text += data
    })
    const lines = [
      'POST /tokens HTTP/1.1',
      'Host: x',
      `SVC-API-KEY: ${shown(server.stdout(), 'private key')}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    while (!received.text.includes('100 Continue')) await new Promise(setImmediate)
    server.kill(signal)
    while (await accepts(port)) await new Promise(setImmediate)
    socket.write(body)
    const { code, stderr } = await server.ended
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

t.test('--help and --version print, and open nothing', async t => {
  const help = await run(t, ['--help']).ended
  t.match(help, { code: 0, stderr: '', stdout: /--header-prefix/ })
  const version = await run(t, ['--version']).ended
  t.match(version, { code: 0, stderr: '', stdout: /^\d+\.\d+\.\d+\n$/ })
})
