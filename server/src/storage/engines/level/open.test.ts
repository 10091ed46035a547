import t from 'tap'
import { insert, mustCommit, tenantA } from '../../port.samples.ts'
import { collectionKey, formatKey } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { openLevelDb } from './leveldb.ts'
import { DataFolderRefused } from './refused.ts'

const refuses = (message: string) => ({ name: 'DataFolderRefused', message })

t.test('a folder in use is refused, also within one process', async t => {
  const folder = t.testdir()
  const store = await LevelStore.open(folder)
  t.teardown(() => store.close())
  await t.rejects(LevelStore.open(folder), refuses('The data folder is in use by another process.'))
  await mustCommit(store, [insert('a')])
})

for (const other of ['1', '4']) {
  t.test(`a folder of format ${other} is refused and left as it is`, async t => {
    const folder = t.testdir()
    await (await LevelStore.open(folder)).close()
    const write = async (format: string) => {
      const level = await openLevelDb(folder)
      await level.put(formatKey, Buffer.from(format))
      await level.close()
    }
    await write(other)
    const message = `The data folder has format ${other}, and this server reads format 3: use the server that wrote it.`
    await t.rejects(LevelStore.open(folder), refuses(message))
    // Refusing let go of the folder.
    await t.rejects(LevelStore.open(folder), refuses(message))
    await write('3')
    await (await LevelStore.open(folder)).close()
  })
}

t.test('a folder of format 2 is upgraded, unless its index has to be repaired first', async t => {
  const folder = t.testdir()
  await (await LevelStore.open(folder)).close()
  const change = async (damage: (level: Awaited<ReturnType<typeof openLevelDb>>) => Promise<void>) => {
    const level = await openLevelDb(folder)
    await damage(level)
    await level.close()
  }
  const format = async () => {
    let found: Buffer | undefined
    await change(async level => {
      found = await level.get(formatKey)
    })
    return found?.toString()
  }
  await change(level => level.put(formatKey, Buffer.from('2')))
  await (await LevelStore.open(folder)).close()
  t.equal(await format(), '3')

  const registered = `c${collectionKey('token', tenantA).slice(1)}n`
  await change(level => level.batch().put(formatKey, Buffer.from('2')).put(registered, Buffer.of(1)).write())
  const sentence =
    'The data folder was written by an earlier version, and its tokens with several containers have to be indexed anew: run surrogate-server reindex --repair on it.'
  await t.rejects(LevelStore.open(folder), refuses(sentence))
  const repair = async (isWanted: boolean) => {
    const store = await LevelStore.open(folder, { forRepair: true })
    const findings = await store.reindex({ repair: isWanted, contentOf: async () => undefined })
    await store.close()
    return findings.stray
  }
  t.equal(await repair(false), 1)
  t.equal(await format(), '2', 'looking alone changes nothing')
  await t.rejects(LevelStore.open(folder), refuses(sentence))
  t.equal(await repair(true), 1)
  t.equal(await format(), '3')
  t.equal(await repair(true), 0)
  await (await LevelStore.open(folder)).close()
})

t.test('a database of another program is refused', async t => {
  const folder = t.testdir()
  const level = await openLevelDb(folder)
  await level.put('somebody', Buffer.from('else'))
  await level.close()
  await t.rejects(LevelStore.open(folder), refuses('The data folder holds a database of another program.'))
})

t.test('a path that cannot be a folder is refused', async t => {
  const folder = t.testdir({ data: 'a file' })
  await t.rejects(LevelStore.open(`${folder}/data`), DataFolderRefused)
})
