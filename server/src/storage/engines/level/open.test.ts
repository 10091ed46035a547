import t from 'tap'
import { insert, mustCommit } from '../../port/port.samples.ts'
import { DataFolderRefused } from './data-folder-errors.ts'
import { formatKey } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { openLevelDb } from './leveldb.ts'

const refuses = (message: string) => ({ name: 'DataFolderRefused', message })

t.test('a folder in use is refused, also within one process', async t => {
  const folder = t.testdir()
  const store = await LevelStore.open(folder)
  t.teardown(() => store.close())
  await t.rejects(LevelStore.open(folder), refuses('The data folder is in use by another process.'))
  await mustCommit(store, [insert('a')])
})

for (const other of ['4', '6']) {
  t.test(`a folder of format ${other} is refused and left as it is`, async t => {
    const folder = t.testdir()
    await (await LevelStore.open(folder)).close()
    const write = async (format: string) => {
      const level = await openLevelDb(folder)
      await level.put(formatKey, Buffer.from(format))
      await level.close()
    }
    await write(other)
    const message = `The data folder has format ${other}, and this server reads format 5: use the server that wrote it.`
    await t.rejects(LevelStore.open(folder), refuses(message))
    // Refusing let go of the folder.
    await t.rejects(LevelStore.open(folder), refuses(message))
    await write('5')
    await (await LevelStore.open(folder)).close()
  })
}

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
