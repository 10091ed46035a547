import t from 'tap'
import { insert, mustCommit } from '../../port/port.samples.ts'
import { DataFolderRefused } from './data-folder-errors.ts'
import { formatKey } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { openLevelDb } from './leveldb.ts'
import { openFolder } from './open.ts'

const refuses = (message: string) => ({ name: 'DataFolderRefused', message })

t.test('a folder in use is refused, also within one process', async t => {
  const folder = t.testdir()
  const store = await LevelStore.open(folder)
  t.teardown(() => store.close())
  await t.rejects(LevelStore.open(folder), refuses('The data folder is in use by another process.'))
  await mustCommit(store, [insert('a')])
})

t.test('a folder of a newer version is refused and left as it is', async t => {
  const folder = t.testdir()
  await (await LevelStore.open(folder)).close()
  const write = async (format: string) => {
    const level = await openLevelDb(folder)
    await level.put(formatKey, Buffer.from(format))
    await level.close()
  }
  await write('2')
  const refused = refuses(
    'The data folder has format 2, and this server reads format 1: use the server that wrote it.',
  )
  await t.rejects(LevelStore.open(folder), refused)
  // Refusing let go of the folder.
  await t.rejects(LevelStore.open(folder), refused)
  await write('1')
  await (await LevelStore.open(folder)).close()
})

t.test('a database of another program is refused', async t => {
  const folder = t.testdir()
  const level = await openLevelDb(folder)
  await level.put('somebody', Buffer.from('else'))
  await level.close()
  await t.rejects(LevelStore.open(folder), refuses('The data folder holds a database of another program.'))
})

t.test('a folder with a file of another user says how to give it back', async t => {
  const folder = t.testdir({})
  const message = `IO error: ${folder}/LOCK: Permission denied`
  const openLevel = () => Promise.reject(new Error('', { cause: { code: 'LEVEL_IO_ERROR', message } }))
  const says = `The data folder cannot be opened: permission denied for some of its files; chown -R ${process.getuid?.()} ${folder}.`
  await t.rejects(openFolder(folder, { openLevel }), refuses(says))
  await (await openFolder(folder)).close()
})

t.test('a path that cannot be a folder is refused', async t => {
  const folder = t.testdir({ data: 'a file' })
  await t.rejects(LevelStore.open(`${folder}/data`), DataFolderRefused)
})
