import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { refusalIn, runHere } from '../../verify/support/run-here.ts'
import { createVault } from '../vault.ts'
import { explainSystemError } from './refusals.ts'

const masterKey = Buffer.alloc(32, 7)

t.test('a start that cannot succeed ends with code 2 and one sentence', async t => {
  const folder = t.testdir({
    data: {},
    damaged: { 'master.key': 'half a key' },
    file: 'no folder',
    'cut-off.json': '{"tenants":[',
    'large.json': '',
    // As editors and shells on Windows save them.
    'windows-1252.json': Buffer.from('{"tenants":[{"name":"Caf\u00e9"}]}', 'latin1'),
    'utf-16.json': Buffer.from('\ufeff{"tenants":[]}', 'utf16le'),
    'utf-16.js': Buffer.from('\ufeffmodule.exports = client => client', 'utf16le'),
  })
  const at = (name: string) => join(folder, name)
  // Has no content on disk.
  truncateSync(at('large.json'), 64_000_001)
  mkdirSync(at('folder'))
  symlinkSync('loop', at('loop'))
  const storage = `level:${at('data')}`
  const key = { SURROGATE_MASTER_KEY: masterKey.toString('base64') }
  const wrong = { SURROGATE_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') }
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.teardown(() => busy.close())
  const { port } = busy.address() as AddressInfo
  const refused = async (args: string[], says: RegExp, environment: Record<string, string> = {}) => {
    const { code, stderr, stdout } = await runHere(args, environment)
    t.match(refusalIn(stderr), says, args.join(' '))
    t.same({ code, stdout }, { code: 2, stdout: '' })
  }
  const vault = createVault({ storage, masterKey })
  await vault.ready()
  await refused(['--port', '0', '--storage', storage], /in use by another process/, key)
  await vault.close()

  const memory = ['--port', '0', '--storage', 'memory:']
  for (const [file, says] of [
    ['none.json', /none\.json cannot be read/],
    ['windows-1252.json', /windows-1252\.json is not UTF-8 \(at byte 24\)/],
    ['utf-16.json', /utf-16\.json is UTF-16; it must be UTF-8/],
    ['cut-off.json', /cut-off\.json .*JSON/],
    ['large.json', /large\.json must not be larger than 64000000 bytes/],
  ] as const)
    await refused([...memory, '--bootstrap', at(file)], says)
  for (const [more, says] of [
    [['--formula-client', at('utf-16.js')], /utf-16\.js is UTF-16; it must be UTF-8/],
    [['--header-prefix', 'Caf\ufffd'], /argument 6 is not UTF-8 \(at character 3\)/],
    [['--port', String(port)], new RegExp(`port ${port} is taken`)],
    [['--metrics-port', String(port)], new RegExp(`port ${port} is taken.*--metrics-port`)],
    [['--host', '192.0.2.1'], /host 192\.0\.2\.1 is not an address/],
    [['--host', 'none.invalid'], /host none\.invalid is not an address/],
    [['--ready-file', at('missing/ready.json')], /^the ready file .* cannot be written$/],
    [['--ready-file', at('folder')], /^the ready file .* cannot be written$/],
  ] as const)
    await refused([...memory, ...more], says)
  const prefix = /SURROGATE_HEADER_PREFIX is not UTF-8 \(at character 3\)/
  await refused(memory, prefix, { SURROGATE_HEADER_PREFIX: 'Caf\ufffd' })
  for (const [url, says, environment] of [
    ['sqlite:x', /storage/, key],
    [storage, /SURROGATE_MASTER_KEY/, {}],
    [storage, /master key/, wrong],
    [
      'postgres://u:canary@none.invalid/d',
      /^(?!.*canary).*d at none\.invalid:5432 cannot be reached: its host is not known \((ENOTFOUND|EAI_AGAIN)\)/,
      key,
    ],
    [
      'postgres://127.0.0.1:1/d',
      /d at 127\.0\.0\.1:1 cannot be reached: nothing listens there \(ECONNREFUSED\)/,
      key,
    ],
    [`level:${at('file')}`, /\/file\/store cannot be made, as the data folder is a file/, key],
    [
      `level:${at('loop')}/x`,
      /^\S+\/loop\/x\/store cannot be used: too many symbolic links \S+ \(ELOOP\)$/,
      key,
    ],
    [`level:${at('n'.repeat(300))}`, /cannot be used: name too long \(ENAMETOOLONG\)$/, key],
    // Node's own way to make folders tries for ever there.
    ...(existsSync('/proc/self')
      ? [
          [
            'level:/proc/data',
            /^\/proc\/data cannot be made: no such file or directory \(ENOENT\); choose another .* --storage$/,
            key,
          ] as const,
        ]
      : []),
    ['level:~/vault', /^level: takes ~ as the name of a folder.*; use level:\$HOME/, key],
    ['level:file:///vault', /^level: takes a path and not a URL; use level:/, key],
    ['level://vault', /^level: takes a path and not a URL; use level:/, key],
  ] as const)
    await refused(['--port', '0', '--storage', url], says, environment)
  await refused(['--dev', '--port', '0', '--storage', `level:${at('damaged')}`], /master\.key/)

  const control = startProcess(t, ['--port', '0', '--storage', storage], {
    SURROGATE_MASTER_KEY_COMMAND: `echo ${key.SURROGATE_MASTER_KEY}`,
  })
  const { url } = await control.ready()
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.equal((await control.end()).code, 0, 'the control: the refused starts did no harm')
})

t.test('the process ends with exit code 2', async t => {
  const { code, stdout, stderr } = await startProcess(t, ['--prot', '4000']).ended
  t.same({ code, stdout }, { code: 2, stdout: '' })
  t.match(refusalIn(stderr), /--prot/)
})

t.test('what is denied is named', async t => {
  for (const [error, says] of [
    [{ syscall: 'listen', port: 80 }, /^permission denied for the port 80: ports below 1024/],
    [
      { syscall: 'mkdir', path: '/data/store' },
      /^permission denied for \/data\/store: make it for the user .+ or choose another folder with --storage$/,
    ],
    [
      { syscall: 'open', path: '/data/master.key' },
      /^permission denied for \/data\/master\.key: it has to belong to the user that runs the server \(chown\)$/,
    ],
  ] as const)
    t.match(explainSystemError({ code: 'EACCES', ...error }), says)
  const other = {
    code: 'EIO',
    syscall: 'open',
    path: '/data/store',
    message: "EIO: i/o error, open '/data/store'",
  }
  t.equal(explainSystemError(other), '/data/store cannot be used: i/o error (EIO)')
  t.equal(explainSystemError({ ...other, path: undefined }), 'i/o error (EIO)')
  for (const { code, syscall } of [
    { code: 'EOTHER', syscall: undefined },
    { code: 'ERR_INVALID_ARG_TYPE', syscall: 'open' },
  ])
    t.equal(explainSystemError({ code, syscall }), undefined, 'no fault of the system')
})

const { PATH = '' } = process.env
const has = (name: string) => PATH.split(':').some(folder => existsSync(join(folder, name)))
const withSetpriv =
  has('setpriv') && process.getuid?.() === 0
    ? {}
    : { skip: 'only root can be another user, by setpriv of util-linux' }
const stranger = ['env', '-u', 'HOME', 'setpriv', '--reuid=54321', '--regid=54321', '--clear-groups']

t.test('a user whom the system does not know, and who has no home, runs it', withSetpriv, async t => {
  const server = startProcess(t, ['--port', '0', '--storage', 'memory:', '--dev'], {}, stranger)
  await server.ready()
  t.equal((await server.end()).code, 0)
  const code = join(t.testdir({ 'a.js': 'module.exports = async () => ({ raw: 1 })' }), 'a.js')
  chmodSync(dirname(code), 0o755)
  const run = await startProcess(t, ['run-formula', code], {}, stranger).ended
  t.same({ code: run.code, stderr: run.stderr }, { code: 0, stderr: '' })
  t.match(run.stdout, /"raw": 1/)
})

const withFull = existsSync('/dev/full') ? {} : { skip: 'there is no /dev/full here' }
const into = (redirection: string) => ['/bin/bash', '-c', `"$@" ${redirection}`, 'bash']

t.test('a reader that stops is no fault, and a disk that is full is one sentence', withFull, async t => {
  const code = join(
    t.testdir({ 'a.js': 'module.exports = async () => ({ raw: "x".repeat(200000) })' }),
    'a.js',
  )
  for (const args of [['--help'], ['run-formula', code]]) {
    const closed = await startProcess(t, args, {}, into(`| true; exit \${PIPESTATUS[0]}`)).ended
    t.same({ code: closed.code, stderr: closed.stderr }, { code: 0, stderr: '' }, args.join(' '))
    const full = await startProcess(t, args, {}, into('> /dev/full')).ended
    t.match(full.stderr, /standard output cannot be written \(ENOSPC\)"?\}?\n$/)
    t.same({ code: full.code, lines: full.stderr.split('\n').length }, { code: 2, lines: 2 }, args.join(' '))
  }
})

t.test('where Node may not make code of texts, a start says so', async t => {
  const flag = { NODE_OPTIONS: '--disallow-code-generation-from-strings' }
  for (const args of [
    ['--port', '0', '--storage', 'memory:'],
    ['run-formula', join(t.testdir({ 'a.js': '' }), 'a.js')],
  ]) {
    const { code, stdout, stderr } = await startProcess(t, args, flag).ended
    t.match(
      stderr,
      /--disallow-code-generation-from-strings, which validators need; remove it from NODE_OPTIONS/,
    )
    t.same({ code, stdout, lines: stderr.split('\n').length }, { code: 2, stdout: '', lines: 2 })
  }
})
