import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSchema, withPostgres } from '../../../verify/support/postgres.ts'
import { backUp, copy, fill, keys, newKey, oldKey, open, read, restore, run } from './_copying.ts'

const rotate = (url: string) => run('rotate-master-key', ['--storage', url], keys(oldKey, newKey))

async function migrated(t: Test): Promise<string> {
  const url = await openSchema(t)
  t.equal((await run('migrate', ['--storage', url], {})).exitCode, 0)
  return url
}

t.test('commands that need servers gone are refused beside them', withPostgres, async t => {
  const [url, empty] = [await migrated(t), await migrated(t)]
  const apiKey = await fill(t, url)
  const at = t.testdir()
  const [folder, file] = [`level:${at}/a`, join(at, 'backup')]
  await fill(t, folder)
  const servers = [open(t, url, oldKey), open(t, url, oldKey)]
  await Promise.all(servers.map(server => server.ready()))
  t.equal((await backUp(url, file)).refusal, '', 'a backup is made beside them')
  const attempts = [
    () => rotate(url),
    () => copy(url, empty),
    () => copy(folder, url),
    () => restore(file, url),
  ]
  const says = /^the database .+ is in use: stop all servers on it/
  for (const attempt of attempts) t.match(await attempt(), { refusal: says, exitCode: 2 })
  await Promise.all(servers.map(server => server.close()))
  t.equal((await copy(url, empty, keys(oldKey, undefined))).refusal, '')
  t.equal((await rotate(url)).refusal, '')
  t.equal(await read(t, url, newKey, apiKey), 'as it was 1')
})
