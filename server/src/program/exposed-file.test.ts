import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { openStore, parseStorage } from '../storage/open.ts'
import { warnIfExposed } from './exposed-file.ts'

const skip = process.platform === 'win32' ? { skip: 'Windows has no such permissions' } : {}

t.test('warns of a file that others may read or change, with the command that corrects it', skip, async t => {
  const file = join(t.testdir({ 'keys.json': '{}' }), 'keys.json')
  const warned = `the bootstrap file ${file} is open to other users of this machine and holds keys: chmod 600 ${file}`
  for (const [modes, expected] of [
    [[0o644, 0o640, 0o604, 0o620, 0o602, 0o601], warned],
    [[0o600, 0o400, 0o700], undefined],
  ] as const) {
    for (const mode of modes) {
      await chmod(file, mode)
      t.equal(await warnIfExposed('the bootstrap file', file), expected, mode.toString(8))
    }
  }
  t.equal(await warnIfExposed('the bootstrap file', `${file}.none`), undefined)
})

t.test('a start warns of its bootstrap file and its master key in one line each', skip, async t => {
  const key = Buffer.alloc(32, 1).toString('base64')
  const folder = t.testdir({ 'keys.json': '{"tenants":[]}', data: { 'master.key': key } })
  const files = { bootstrap: join(folder, 'keys.json'), key: join(folder, 'data/master.key') }
  for (const file of Object.values(files)) await chmod(file, 0o640)
  const storage = `level:${join(folder, 'data')}`
  const server = startProcess(t, ['--dev', '--port=0', '--storage', storage, '--bootstrap', files.bootstrap])
  await server.ready()
  const lines = (await server.end()).stderr.trim().split('\n')
  t.match(
    lines.map(line => JSON.parse(line)),
    [
      { level: 'warn', event: new RegExp(`^the bootstrap file .+ chmod 600 ${files.bootstrap}$`) },
      { level: 'warn', event: new RegExp(`^the master key .+ chmod 600 ${files.key}$`) },
    ],
  )
  t.equal(lines.length, 2)
})

t.test('only the owner may read the store, also in a folder that others may read', skip, async t => {
  const folder = join(t.testdir(), 'data')
  await mkdir(folder, { mode: 0o755 })
  for (const [path, made] of [
    [folder, join(folder, 'store')],
    [`${folder}.fresh`, `${folder}.fresh`],
  ] as const) {
    await (await openStore(parseStorage(`level:${path}`))).close()
    t.equal((await stat(made)).mode & 0o777, 0o700)
  }
})
