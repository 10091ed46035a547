import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../verify/support/process.ts'
import { openStore, parseStorage } from '../storage/open.ts'
import { warnIfExposed } from './exposed-file.ts'

const skip = process.platform === 'win32' ? { skip: 'Windows has no such permissions' } : {}

const bootstrap = JSON.stringify({
  tenants: [
    {
      id: '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c11',
      name: 'Shop',
      applications: [
        {
          id: '1f8d7a52-3a0b-4d0e-8c77-2a4f6f0b9e21',
          name: 'Backend',
          type: 'private',
          key: 'a-key-of-at-least-16-characters',
          permissions: ['token:read'],
        },
      ],
    },
  ],
})

t.test('warns of a file that others may read or change, with the command that corrects it', skip, async t => {
  const folder = t.testdir({ 'keys.json': '{}' })
  const file = join(folder, 'keys.json')
  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602, 0o601]) {
    await chmod(file, mode)
    t.equal(
      await warnIfExposed('the bootstrap file', file),
      `the bootstrap file ${file} is open to other users of this machine and holds keys: chmod 600 ${file}`,
      mode.toString(8),
    )
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    await chmod(file, mode)
    t.equal(await warnIfExposed('the bootstrap file', file), undefined, mode.toString(8))
  }
  t.equal(await warnIfExposed('the bootstrap file', join(folder, 'none')), undefined)
})

t.test('a start warns of its bootstrap file and its master key in one line each', skip, async t => {
  const folder = t.testdir({ 'keys.json': bootstrap, data: {} })
  const file = join(folder, 'keys.json')
  const start = async () => {
    const server = startProcess(t, [
      ...['--dev', '--port', '0', '--storage', `level:${join(folder, 'data')}`, '--bootstrap', file],
    ])
    await server.ready()
    return (await server.end()).stderr
  }
  await chmod(file, 0o644)
  const key = join(folder, 'data', 'master.key')
  const exposed = await start()
  t.match(
    exposed,
    new RegExp(`^{[^\n]*"level":"warn","event":"the bootstrap file [^\n]+ chmod 600 ${file}"}\n$`),
  )
  t.notMatch(exposed, /a-key-of/)
  await chmod(file, 0o600)
  t.equal((await stat(key)).mode & 0o777, 0o600, 'the key is made for its owner alone')
  await chmod(key, 0o640)
  t.match(
    await start(),
    new RegExp(`^{[^\n]*"level":"warn","event":"the master key [^\n]+ chmod 600 ${key}"}\n$`),
  )
  await chmod(key, 0o600)
  t.equal(await start(), '')
})

t.test('only the owner may read the store, also in a folder that others may read', skip, async t => {
  const folder = join(t.testdir(), 'data')
  await mkdir(folder, { mode: 0o755 })
  await (await openStore(parseStorage(`level:${folder}`))).close()
  t.equal((await stat(join(folder, 'store'))).mode & 0o777, 0o700)
  const fresh = `${folder}.fresh`
  await (await openStore(parseStorage(`level:${fresh}`))).close()
  t.equal((await stat(fresh)).mode & 0o777, 0o700)
})
