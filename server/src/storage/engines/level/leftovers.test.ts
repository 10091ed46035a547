import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { digest, insert, mustCommit, tenantA } from '../../port/port.samples.ts'
import { hasRoomToOpen } from './disk-room.ts'
import { tablesIn } from './leftovers.ts'
import { LevelStore } from './level-store.ts'
import { openLevelDb } from './leveldb.ts'
import { openFolder } from './open.ts'

/** Makes a folder whose list of tables has many changes, in several blocks. */
async function makeTables(folder: string): Promise<void> {
  const level = await openLevelDb(folder)
  for (let round = 0; round < 200; round++) {
    const key = `${randomBytes(40).toString('hex')}${round}`
    await level.put(key, Buffer.alloc(100))
    if (round % 3 === 0) await level.del(key)
    // Flushes the log into a table, and merges some.
    await level.compactRange(key, round % 20 === 0 ? 'g' : key)
  }
  await level.close()
  // LevelDB removes at the next start what it does not use any more.
  await (await openLevelDb(folder)).close()
}

const noSpace = (file: string) =>
  new Error('', { cause: { code: 'LEVEL_IO_ERROR', message: `IO error: ${file}: No space left on device` } })
const tableNames = (folder: string) => readdirSync(folder).filter(name => name.endsWith('.ldb'))

t.test('tables that the list does not name are leftovers, and no others', async t => {
  const folder = t.testdir({})
  await makeTables(folder)
  const manifest = readdirSync(folder).find(name => name.startsWith('MANIFEST')) ?? ''
  t.ok(tableNames(folder).length > 1)
  t.same(
    (await tablesIn(folder)).filter(({ isLeftover }) => isLeftover),
    [],
  )
  await writeFile(join(folder, '999999.ldb'), 'left')
  const leftovers = (await tablesIn(folder)).filter(({ isLeftover }) => isLeftover)
  t.same(leftovers, [{ path: join(folder, '999999.ldb'), bytes: 4, isLeftover: true }])
  const path = join(folder, manifest)
  const list = await readFile(path)
  t.ok(list.length > 32_768, 'several blocks')
  const damages = [
    Buffer.alloc(0),
    Buffer.alloc(100),
    Buffer.alloc(100, 1),
    list.subarray(0, 20_000),
    list.subarray(1),
  ]
  for (const damage of damages) {
    await writeFile(path, damage)
    t.notOk(
      (await tablesIn(folder)).some(({ isLeftover }) => isLeftover),
      'a list that is not understood',
    )
  }
  await writeFile(path, list)
  t.equal((await tablesIn(folder)).filter(({ isLeftover }) => isLeftover).length, 1)
})

t.test('a folder that has no room to open is opened without leftovers', async t => {
  const folder = t.testdir({})
  await makeTables(folder)
  const tables = tableNames(folder)
  const leftover = join(folder, '999999.ldb')
  await writeFile(leftover, 'left')
  const openLevel = async (at: string) => {
    if (existsSync(leftover)) throw noSpace(leftover)
    return openLevelDb(at)
  }
  const other = await openLevelDb(folder)
  await writeFile(leftover, 'left')
  await t.rejects(openFolder(folder, { openLevel, isReindexed: true }), /as the disk is full/)
  t.ok(existsSync(leftover), 'not while another process has the folder')
  await other.close()
  await (await openFolder(folder, { openLevel, isReindexed: true })).close()
  t.ok(tables.every(name => existsSync(join(folder, name))))
  const full = () => Promise.reject(noSpace(folder))
  await t.rejects(openFolder(folder, { openLevel: full }), { message: /make room for \d+ MB more\.$/ })
})

t.test('a full disk with leftovers does not keep a server from its start', async t => {
  const folder = t.testdir()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=14m', 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    t.comment('skipped: mounting a small tmpfs needs root')
    return
  }
  try {
    const at = join(folder, 'store')
    const store = await LevelStore.open(at)
    for (let round = 0; round < 20; round++)
      await mustCommit(store, [insert(`kept-${round}`, { box: randomBytes(100_000) })])
    await store.close()
    const fill = (file: string) => {
      const { bavail, bsize } = statfsSync(folder)
      return writeFile(file, Buffer.alloc(bavail * bsize))
    }
    await fill(join(folder, 'of another program'))
    const says = /^The data folder cannot be opened, as the disk is full: make room for 6 MB more\.$/
    await t.rejects(LevelStore.open(at), { name: 'DataFolderRefused', message: says })
    await rm(join(folder, 'of another program'))
    await fill(join(at, '999999.ldb'))
    t.ok(await hasRoomToOpen(at), 'that room counts')
    const again = await LevelStore.open(at)
    const ids = Array.from({ length: 20 }, (_, round) => digest(`kept-${round}`))
    t.ok((await again.get('token', tenantA, ids)).every(found => found?.version === 1))
    await mustCommit(again, [insert('after')])
    await again.close()
  } finally {
    execFileSync('umount', [folder])
  }
})
