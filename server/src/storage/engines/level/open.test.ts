import t from 'tap'
import { insert, mustCommit } from '../../port/port.samples.ts'
import type { Write } from '../../port/port.ts'
import { DataFolderRefused } from './data-folder-errors.ts'
import { formatKey } from './keys.ts'
import { LevelEngine } from './level-engine.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'
import { openFolder } from './open.ts'

const refuses = (message: string | RegExp) => ({ name: 'DataFolderRefused', message })

t.test('a folder in use is refused, also within one process', async t => {
  const folder = t.testdir()
  const store = await LevelEngine.open(folder)
  t.teardown(() => store.close())
  await t.rejects(LevelEngine.open(folder), refuses('The data folder is in use by another process.'))
  await mustCommit(store, [insert('a')])
})

t.test('a folder of a newer version is refused and left as it is', async t => {
  const folder = t.testdir()
  await (await LevelEngine.open(folder)).close()
  const write = async (format: string) => {
    const level = await openLevelDb(folder)
    await level.put(formatKey, Buffer.from(format))
    await level.close()
  }
  await write('2')
  const refused = refuses(
    'The data folder has format 2, and this server reads format 1: use the server that wrote it.',
  )
  await t.rejects(LevelEngine.open(folder), refused)
  // Refusing let go of the folder.
  await t.rejects(LevelEngine.open(folder), refused)
  await write('1')
  await (await LevelEngine.open(folder)).close()
})

t.test('a database of another program is refused', async t => {
  const folder = t.testdir()
  const level = await openLevelDb(folder)
  await level.put('somebody', Buffer.from('else'))
  await level.close()
  await t.rejects(LevelEngine.open(folder), refuses('The data folder holds a database of another program.'))
})

t.test('a folder that the system keeps closed says what to do', async t => {
  const folder = t.testdir({})
  const failing = (reason: string) => () => {
    const message = `IO error: ${folder}/LOCK: ${reason}`
    return Promise.reject(new Error('', { cause: { code: 'LEVEL_IO_ERROR', message } }))
  }
  const says = `The data folder cannot be opened: permission denied for some of its files; chown -R ${process.getuid?.()} ${folder}.`
  await t.rejects(openFolder(folder, { openLevel: failing('Permission denied') }), refuses(says))
  const room = /, as the disk is full: make room for \d+ MB more\.$/
  await t.rejects(openFolder(folder, { openLevel: failing('No space left on device') }), refuses(room))
  await (await openFolder(folder)).close()
})

t.test('a path that cannot be a folder is refused', async t => {
  const folder = t.testdir({ data: 'a file' })
  await t.rejects(LevelEngine.open(`${folder}/data`), DataFolderRefused)
})

t.test('a fresh insert into a known collection reads nothing', async t => {
  let reads = 0
  const openLevel = async (folder: string) => {
    const level = await openLevelDb(folder)
    const counting = <Method extends 'getSync' | 'getMany'>(name: Method) => {
      const method = level[name].bind(level) as (...args: unknown[]) => unknown
      Object.assign(level, {
        [name]: (...args: unknown[]) => {
          reads++
          return method(...args)
        },
      })
    }
    counting('getSync')
    counting('getMany')
    return level satisfies LevelDb
  }
  const store = await LevelEngine.open(t.testdir(), { openLevel })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a', { terms: ['t'] })])
  reads = 0
  await mustCommit(store, [{ ...insert('b', { terms: ['t'] }), fresh: true } as Write])
  t.equal(reads, 0)
  await mustCommit(store, [insert('c', { terms: ['t'] })])
  t.not(reads, 0)
})
