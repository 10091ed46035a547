import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { refusalIn, runHere } from '../../verify/support/run-here.ts'
import { explainSystemError } from './system-errors.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

t.test('a start that cannot succeed ends with code 2 and one sentence', async t => {
  const folder = t.testdir({
    data: {},
    file: 'no folder',
    'cut-off.json': '{"tenants":[',
    'large.json': '',
    // As editors and shells on Windows save them.
    'windows-1252.json': Buffer.from('{"tenants":[{"name":"Caf\u00e9"}]}', 'latin1'),
    'utf-16.json': Buffer.from('\ufeff{"tenants":[]}', 'utf16le'),
    'utf-16.js': Buffer.from('\ufeffmodule.exports = client => client', 'utf16le'),
  })
  // Has no content on disk.
  truncateSync(join(folder, 'large.json'), 64_000_001)
  const storage = `level:${join(folder, 'data')}`
  const keyed = { SURROGATE_MASTER_KEY: masterKey }
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.teardown(() => busy.close())
  const { port } = busy.address() as AddressInfo
  const holder = startProcess(t, ['--port', '0', '--storage', storage], keyed)
  await holder.ready()
  await t.test('while another server has the folder', async t => {
    await refused(t, ['--port', '0', '--storage', storage], keyed, /in use by another process/)
  })
  await holder.end()

  const memory = ['--port', '0', '--storage', 'memory:']
  const cases: readonly [name: string, args: string[], environment: Record<string, string>, says: RegExp][] =
    [
      ['an unknown storage URL', ['--port', '0', '--storage', 'sqlite:x'], {}, /storage/],
      [
        'a missing bootstrap file',
        [...memory, '--bootstrap', join(folder, 'none.json')],
        {},
        /none\.json cannot be read/,
      ],
      [
        'a bootstrap file in Windows-1252',
        [...memory, '--bootstrap', join(folder, 'windows-1252.json')],
        {},
        /windows-1252\.json is not UTF-8 \(at byte 24\)/,
      ],
      [
        'a bootstrap file in UTF-16',
        [...memory, '--bootstrap', join(folder, 'utf-16.json')],
        {},
        /utf-16\.json is UTF-16; it must be UTF-8/,
      ],
      [
        'a formula client in UTF-16',
        [...memory, '--formula-client', join(folder, 'utf-16.js')],
        {},
        /utf-16\.js is UTF-16; it must be UTF-8/,
      ],
      [
        'an argument with other bytes than UTF-8',
        [...memory, '--header-prefix', 'Caf\ufffd'],
        {},
        /argument 6 is not UTF-8 \(at character 3\)/,
      ],
      [
        'a variable with other bytes than UTF-8',
        memory,
        { SURROGATE_HEADER_PREFIX: 'Caf\ufffd' },
        /SURROGATE_HEADER_PREFIX is not UTF-8 \(at character 3\)/,
      ],
      [
        'a bootstrap file that is not JSON',
        [...memory, '--bootstrap', join(folder, 'cut-off.json')],
        {},
        /cut-off\.json .*JSON/,
      ],
      [
        'a bootstrap file that is too large',
        [...memory, '--bootstrap', join(folder, 'large.json')],
        {},
        /large\.json must not be larger than 64000000 bytes/,
      ],
      ['no master key', ['--port', '0', '--storage', storage], {}, /SURROGATE_MASTER_KEY/],
      [
        'a wrong master key',
        ['--port', '0', '--storage', storage],
        { SURROGATE_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') },
        /master key/,
      ],
      [
        'a port that is taken',
        ['--port', String(port), '--storage', 'memory:'],
        {},
        new RegExp(`port ${port} is taken`),
      ],
      [
        'a port for metrics that is taken',
        [...memory, '--metrics-port', String(port)],
        {},
        new RegExp(`port ${port} is taken.*--metrics-port`),
      ],
      [
        'one port for requests and metrics',
        ['--port', '4999', '--metrics-port', '4999', '--storage', 'memory:'],
        {},
        /--port and --metrics-port are both 4999/,
      ],
      [
        'an address of another machine',
        [...memory, '--host', '192.0.2.1'],
        {},
        /host 192\.0\.2\.1 is not an address/,
      ],
      [
        'a host that has no address',
        [...memory, '--host', 'none.invalid'],
        {},
        /host none\.invalid is not an address/,
      ],
      [
        'a database on a host that is not known',
        ['--port', '0', '--storage', 'postgres://u:canary@none.invalid/d'],
        keyed,
        /^(?!.*canary).*d at none\.invalid:5432 cannot be reached: its host is not known \((ENOTFOUND|EAI_AGAIN)\)/,
      ],
      [
        'a database that does not run',
        ['--port', '0', '--storage', 'postgres://127.0.0.1:1/d'],
        keyed,
        /d at 127\.0\.0\.1:1 cannot be reached: nothing listens there \(ECONNREFUSED\)/,
      ],
      [
        'a file instead of the data folder',
        ['--port', '0', '--storage', `level:${join(folder, 'file')}`],
        keyed,
        /\/file\/store cannot be made, as the data folder is a file/,
      ],
    ]
  for (const [name, args, environment, says] of cases)
    await t.test(name, async t => refused(t, args, environment, says))

  const control = startProcess(t, ['--port', '0', '--storage', storage], {
    SURROGATE_MASTER_KEY_COMMAND: `echo ${masterKey}`,
  })
  const { url } = await control.ready()
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.equal((await control.end()).code, 0, 'the control: the refused starts did no harm')
})

async function refused(
  t: Pick<Test, 'equal' | 'match'>,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  says: RegExp,
): Promise<void> {
  const { code, stderr } = await runHere(args, environment)
  t.match(refusalIn(stderr), says)
  t.equal(code, 2)
}

t.test('the process ends with exit code 2', async t => {
  const { code, stdout, stderr } = await startProcess(t, ['--prot', '4000']).ended
  t.equal(code, 2)
  t.match(refusalIn(stderr), /--prot/)
  t.equal(stdout, '')
})

t.test('what is denied is named', t => {
  const denied = (error: object) => explainSystemError({ code: 'EACCES', ...error })
  t.match(denied({ syscall: 'listen', port: 80 }), /^permission denied for the port 80: ports below 1024/)
  t.match(
    denied({ syscall: 'mkdir', path: '/data/store' }),
    /^permission denied for \/data\/store: make it for the user .+ or choose another folder with --storage$/,
  )
  t.match(
    denied({ syscall: 'open', path: '/data/master.key' }),
    /^permission denied for \/data\/master\.key: it has to belong to the user that runs the server \(chown\)$/,
  )
  t.equal(explainSystemError({ code: 'EOTHER' }), undefined)
  t.end()
})

t.test('a master key that was damaged is refused', async t => {
  const folder = t.testdir({})
  await writeFile(join(folder, 'master.key'), 'half a key')
  await refused(t, ['--dev', '--port', '0', '--storage', `level:${folder}`], {}, /master\.key/)
})
