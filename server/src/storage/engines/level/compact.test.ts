import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  digest,
  everything,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  tenantB,
  term,
} from '../../port/port.samples.ts'
import type { Write } from '../../port/port.ts'
import { openStopping } from './_stopping.ts'
import { LevelEngine } from './level-engine.ts'

/** True if any part of a box of random bytes, which compression cannot change, is in the folder's files. */
async function isInFiles(folder: string, box: Buffer): Promise<boolean> {
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name))
    for (let at = 0; at + 16 <= box.length; at += 16) {
      if (bytes.includes(box.subarray(at, at + 16))) return true
    }
  }
  return false
}

/** Documents with boxes to look for. */
function makeBoxes(count: number, size = 600) {
  return Array.from({ length: count }, (_, id) => ({ id, box: randomBytes(size) }))
}

t.test('removed and replaced documents are in no file after compact', async t => {
  const folder = t.testdir()
  const store = await LevelEngine.open(folder)
  t.teardown(() => store.close())
  const [kept, removed, replaced] = makeBoxes(3)
  if (!kept || !removed || !replaced) throw new Error('no boxes')
  await mustCommit(store, [insert(0, kept), insert(1, removed), insert(2, replaced)])
  await mustCommit(store, [remove(1), replace(2, 1)])
  t.ok(await isInFiles(folder, removed.box), 'the log still has it')
  t.ok(await isInFiles(folder, replaced.box))
  await store.compact()
  t.notOk(await isInFiles(folder, removed.box))
  t.notOk(await isInFiles(folder, replaced.box))
  t.ok(await isInFiles(folder, kept.box))
})

t.test('compact rewrites no files for a setting, which a server replaces every minute', async t => {
  for (const kind of ['setting', 'token'] as const) {
    const folder = t.testdir()
    const store = await LevelEngine.open(folder)
    const [replaced] = makeBoxes(1)
    await mustCommit(store, [insert(0, { ...replaced, kind })])
    await mustCommit(store, [replace(0, 1, { kind })])
    await store.compact()
    t.equal(await isInFiles(folder, replaced?.box as Buffer), kind === 'setting', kind)
    await store.close()
  }
})

t.test('compact cleans files of every age, also after the store was opened again', async t => {
  const folder = t.testdir()
  let store = await LevelEngine.open(folder)
  const reopen = async () => {
    await store.close()
    store = await LevelEngine.open(folder)
  }
  t.teardown(() => store.close())
  const boxes = makeBoxes(12)
  for (const { id, box } of boxes) {
    await mustCommit(store, [insert(id, { box, tenant: id % 2 === 0 ? tenantA : tenantB })])
    // Each opening writes the log into a table file of its own.
    if (id % 3 === 0) await reopen()
  }
  await store.compact()
  for (const id of [0, 3, 4, 7]) {
    await mustCommit(store, [remove(id, 1, { tenant: id % 2 === 0 ? tenantA : tenantB })])
    await reopen()
  }
  await store.compact()
  for (const { id, box } of boxes)
    t.equal(await isInFiles(folder, box), ![0, 3, 4, 7].includes(id), `box ${id}`)
})

t.test('compact cleans many files during searches and writes', async t => {
  const folder = t.testdir()
  const store = await LevelEngine.open(folder)
  t.teardown(() => store.close())
  const boxes = makeBoxes(9_000, 2_000)
  for (let from = 0; from < boxes.length; from += 500) {
    const writes = boxes
      .slice(from, from + 500)
      .map(({ id, box }): Write => insert(id, { box, terms: ['x'] }))
    await mustCommit(store, writes)
  }
  const gone = boxes.filter(({ id }) => id % 5 === 0)
  for (const { id } of gone) await mustCommit(store, [id % 2 === 0 ? remove(id) : replace(id, 1)])
  let done = false
  const busy = async () => {
    for (let round = 0; !done; round++) {
      await store.find('token', tenantA, term('x'), { ...everything, limit: 5 })
      await mustCommit(store, [insert(`busy ${round}`, { kind: 'audit' })])
    }
  }
  const working = busy()
  await store.compact()
  done = true
  await working
  const files = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name))))
  const sample = gone.filter(({ id }) => id % 250 === 0)
  t.equal(sample.length, 36)
  for (const { box } of sample) {
    const part = box.subarray(1_000, 1_016)
    t.notOk(files.some(bytes => bytes.includes(part)))
  }
  const one = await store.get('token', tenantA, [digest(1)])
  t.ok(one[0])
  t.equal((await store.find('token', tenantA, { op: 'all' }, { ...everything, limit: 0 })).total, 8_100)
})

t.test('compact keeps nothing for a search that began before, and does not wait for it', async t => {
  const { folder, store, stop, goOn } = await openStopping(t)
  const [removed, other] = makeBoxes(2, 140 << 10)
  if (!removed || !other) throw new Error('no boxes')
  await mustCommit(store, [insert(0, { ...removed, terms: ['x'] })])
  // Begins another log: the search finds the removed document in a table.
  await mustCommit(store, [insert(1, other)])
  const searching = store.find('token', tenantA, term('x'), everything)
  await stop()
  await mustCommit(store, [remove(0)])
  await store.compact()
  t.notOk(await isInFiles(folder, removed.box))
  t.ok(await isInFiles(folder, other.box))
  t.equal((await goOn(searching)).total, 0)
})
