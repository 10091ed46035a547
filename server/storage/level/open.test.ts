import t from 'tap'
import { insert, mustCommit } from '../port.samples.ts'
import { formatKey } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { DataFolderRefused, openClassicLevel } from './open.ts'

const refuses = (message: string) => ({ name: 'DataFolderRefused', message })

t.test('a folder in use is refused, also within one process', async t => {
  const folder = t.testdir()
  const store = await LevelStore.open(folder)
  t.teardown(() => store.close())
  await t.rejects(LevelStore.open(folder), refuses('The data folder is in use by another process.'))
  await mustCommit(store, [insert('a')])
})

for (const other of ['1', '3']) {
  t.test(`a folder of format ${other} is refused and left as it is`, async t => {
    const folder = t.testdir()
    await (await LevelStore.open(folder)).close()
    const write = async (format: string) => {
      const level = await openClassicLevel(folder)
      await level.put(formatKey, Buffer.from(format))
      await level.close()
    }
    await write(other)
    const message = `The data folder has format ${other}, and this server reads format 2: use the server that wrote it.`
    await t.rejects(LevelStore.open(folder), refuses(message))
    // Refusing let go of the folder.
    await t.rejects(LevelStore.open(folder), refuses(message))
    await write('2')
    await (await LevelStore.open(folder)).close()
  })
}

t.test('a database of something else is refused', async t => {
  const folder = t.testdir()
  const level = await openClassicLevel(folder)
  await level.put('somebody', Buffer.from('else'))
  await level.close()
  await t.rejects(LevelStore.open(folder), refuses('The data folder holds a database of something else.'))
})

t.test('a folder that cannot be one is refused', async t => {
  const folder = t.testdir({ data: 'a file' })
  await t.rejects(LevelStore.open(`${folder}/data`), DataFolderRefused)
})
