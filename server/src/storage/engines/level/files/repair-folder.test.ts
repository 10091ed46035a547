import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { get, insert, mustCommit } from '../../../port/port.samples.ts'
import { DataFolderDamaged, DataFolderRefused } from '../data-folder-errors.ts'
import { LevelStore } from '../level-store.ts'
import { compactFolder, fileIn, fillFolder, flipped, intactOf, readIn, withFile } from './_damaged.ts'
import { countDamagedBlocks } from './repair-folder.ts'
import { findTableDamage } from './table-damage.ts'

const refuses = (folder: string) =>
  LevelStore.open(folder).then(
    () => undefined,
    error => error,
  )

async function intactIn(folder: string, names: readonly string[]): Promise<string[]> {
  const store = await LevelStore.open(folder)
  try {
    await mustCommit(store, [insert('after the repair')])
    return await intactOf(store, names)
  } finally {
    await store.close()
  }
}

t.test('all records of a damaged log are kept except the damaged ones', async t => {
  const folder = t.testdir()
  const names = await fillFolder(folder, 60)
  const log = await fileIn(folder, /\.log$/)
  const bytes = await readIn(folder, log)
  for (const at of [1, 20, 5_000, 30_000, bytes.length - 1]) {
    await withFile(folder, log, flipped(bytes, at), async copy => {
      t.type(await refuses(copy), DataFolderDamaged)
      const losses = await LevelStore.repair(copy)
      t.match(losses, { blocks: 0, list: false })
      t.ok(losses.logBytes > 0 && losses.logBytes < 2_000, `${losses.logBytes} bytes of ${bytes.length}`)
      const intact = await intactIn(copy, names)
      // The first record of all is the format's number.
      t.equal(intact.length, at < 30 ? 60 : 59, `byte ${at}`)
      t.ok(
        (await readIn(join(copy, 'lost'), `${log}.damaged`)).equals(flipped(bytes, at)),
        'the original is kept',
      )
      t.same(await LevelStore.repair(copy), { logBytes: 0, blocks: 0, list: false }, 'once is enough')
    })
  }
})

t.test('a damaged or missing list of tables is rebuilt', async t => {
  const folder = t.testdir()
  const names = await fillFolder(folder, 60)
  await compactFolder(folder)
  const manifest = await fileIn(folder, /^MANIFEST/)
  const bytes = await readIn(folder, manifest)
  for (let at = 0; at < bytes.length; at += 3) {
    await withFile(folder, manifest, flipped(bytes, at), async copy => {
      const refusal = await refuses(copy)
      if (refusal) {
        if (!(refusal instanceof DataFolderDamaged)) t.fail(`byte ${at}: ${refusal.message}`)
        if (at % 15 > 0) return
        t.match(await LevelStore.repair(copy), { list: true })
      }
      t.equal((await intactIn(copy, names)).length, 60, `byte ${at}`)
    })
  }
  const current = await readIn(folder, 'CURRENT')
  for (const [missing, content] of [
    ['CURRENT', current],
    [manifest, bytes],
  ] as const) {
    await withFile(folder, missing, content, async copy => {
      await unlink(join(copy, missing))
      const tables = (await readdir(copy)).filter(name => name.endsWith('.ldb'))
      t.type(await refuses(copy), DataFolderDamaged, `without ${missing}`)
      t.same(
        (await readdir(copy)).filter(name => name.endsWith('.ldb')),
        tables,
        'nothing was removed',
      )
      t.match(await LevelStore.repair(copy), { list: true })
      t.equal((await intactIn(copy, names)).length, 60)
    })
  }
})

t.test('a missing log is detected', async t => {
  const folder = t.testdir()
  const names = await fillFolder(folder, 20)
  await compactFolder(folder)
  const more = await LevelStore.open(folder)
  await mustCommit(more, [insert('later')])
  await more.close()
  await rm(join(folder, await fileIn(folder, /\.log$/)))
  const refusal = await refuses(folder)
  t.type(refusal, DataFolderDamaged)
  t.match(refusal.message, /^The data folder is damaged \(\d{6}\.log\): /)
  t.match(await LevelStore.repair(folder), { list: true })
  t.equal((await intactIn(folder, names)).length, 20)
})

t.test('a missing table loses only its own data', async t => {
  const folder = t.testdir()
  const names = await fillFolder(folder, 60)
  await compactFolder(folder)
  const more = await LevelStore.open(folder)
  await mustCommit(more, [insert('later')])
  await more.close()
  const table = await fileIn(folder, /\.ldb$/)
  await rm(join(folder, table))
  t.type(await refuses(folder), DataFolderDamaged)
  t.match(await LevelStore.repair(folder), { list: true })
  const store = await LevelStore.open(folder)
  t.equal((await intactOf(store, names)).length, 0, 'the control: it had all of them')
  t.equal((await get(store, 'later'))[0]?.version, 1)
  await store.close()
})

for (const compression of [false, true])
  t.test(
    `a changed byte of a table ${compression ? 'with compressed blocks ' : ''}is found by the verification, and costs one block`,
    async t => {
      const folder = t.testdir()
      const names = await fillFolder(folder, 200)
      await compactFolder(folder, compression)
      const table = await fileIn(folder, /\.ldb$/)
      const bytes = await readIn(folder, table)
      t.same(findTableDamage(bytes), [])
      t.equal(await countDamagedBlocks(folder), 0)
      const footer = bytes.length - 48
      let unnoticed = 0
      for (let at = 0; at < bytes.length; at += at < footer ? 41 : 1) {
        const places = findTableDamage(flipped(bytes, at))
        if (places.length === 0) unnoticed++
        else if (places.length > 1) t.fail(`byte ${at} is in ${places.length} blocks`)
      }
      t.ok(unnoticed < 40, `${unnoticed} unnoticed: zeros that fill the footer up`)
      const middle = Math.floor(bytes.length / 2)
      for (const [at, least] of [
        [100, 150],
        [middle, 150],
        // The index of the table: without it nobody knows where its blocks are.
        [footer - 10, 0],
        [bytes.length - 1, 0],
      ] as const) {
        await withFile(folder, table, flipped(bytes, at), async copy => {
          t.equal(await countDamagedBlocks(copy), 1, `byte ${at}`)
          t.match(await LevelStore.repair(copy), { logBytes: 0, blocks: 1 })
          const { length } = await intactIn(copy, names)
          t.ok(length >= least && length <= 200, `${length} of 200 are left`)
          t.equal(await countDamagedBlocks(copy), 0)
        })
      }
    },
  )

t.test('a folder in use is not repaired', async t => {
  const folder = t.testdir()
  const names = await fillFolder(folder, 3)
  const store = await LevelStore.open(folder)
  const refusal = await LevelStore.repair(folder).catch(error => error)
  t.type(refusal, DataFolderRefused)
  t.equal(refusal.message, 'The data folder is in use by another process.')
  t.equal((await intactOf(store, names)).length, 3)
  await store.close()
  t.same(await LevelStore.repair(folder), { logBytes: 0, blocks: 0, list: false })
})

t.test(
  'a folder without anything is none to repair, and one that a crash left without a list is new',
  async t => {
    const folder = t.testdir({ 'MANIFEST-000001': '' })
    const store = await LevelStore.open(folder)
    await mustCommit(store, [insert('a')])
    await store.close()
  },
)
