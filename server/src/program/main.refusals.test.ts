import { once } from 'node:events'
import { mkdirSync, truncateSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
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
    t.same([code, stdout], [2, ''])
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
  t.same([code, stdout], [2, ''])
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
  t.equal(explainSystemError({ code: 'EOTHER' }), undefined)
})
