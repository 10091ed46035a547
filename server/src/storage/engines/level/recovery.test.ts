import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Test } from 'tap'
import t from 'tap'
import {
  digest,
  everything,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  term,
} from '../../port/port.samples.ts'
import { type Engine, StoreUnavailable } from '../../port/port.ts'
import { LevelEngine } from './level-engine.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'

/** Faults of the disk that a test turns on and off. */
interface Faults {
  /** The next batch fails: before anything of it is stored, or after all of it is. */
  nextBatch?: 'before' | 'after'
  open?: boolean
  batches: number
}

/** LevelDB with faults. A failed batch makes all later ones of the same opening fail, as LevelDB does. */
async function openFaulty(folder: string, faults: Faults): Promise<LevelDb> {
  if (faults.open) throw new Error('IO error: cannot open')
  const level = await openLevelDb(folder)
  const makeBatch = level.batch.bind(level) as () => ReturnType<LevelDb['batch']>
  let broken = false
  const faulty = () => {
    const batch = makeBatch()
    const write = batch.write.bind(batch)
    batch.write = async (options?: object) => {
      faults.batches++
      const fault = faults.nextBatch
      delete faults.nextBatch
      if (fault === 'after') await write({ ...options })
      broken ||= fault !== undefined
      if (broken) throw new Error(`IO error: ${folder}/000007.log: No space left on device`)
      return write({ ...options })
    }
    return batch
  }
  level.batch = faulty as LevelDb['batch']
  return level
}

/** Waiting that a test ends itself. */
function handDelay() {
  const waiting: { ms: number; go: () => void }[] = []
  const asked: number[] = []
  const delay = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      asked.push(ms)
      waiting.push({ ms, go: resolve })
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  return { delay, asked, go: () => waiting.shift()?.go(), isWaiting: () => waiting.length > 0 }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

const has = async (store: Engine, ...ids: string[]) =>
  (await store.get('token', tenantA, ids.map(digest))).map(document => document?.version ?? 0)
const totalOf = async (store: Engine, name: string) =>
  (await store.find('token', tenantA, term(name), everything)).total

/** Opens a store whose disk and waiting a test controls. */
async function openOn(t: Test, options: Parameters<typeof LevelEngine.open>[1] = {}) {
  const faults: Faults = { batches: 0 }
  const hand = handDelay()
  let openings = 0
  const openLevel = (folder: string) => {
    openings++
    return openFaulty(folder, faults)
  }
  const folder = t.testdir()
  const store = await LevelEngine.open(folder, { openLevel, delay: hand.delay, ...options })
  t.teardown(() => store.close())
  const recovered = () => until(() => store.unhealthy() === undefined)
  /** Lets the store try to recover. */
  const attempt = async () => {
    await until(hand.isWaiting)
    hand.go()
  }
  return { store, faults, hand, folder, recovered, attempt, openings: () => openings }
}

for (const fault of ['before', 'after'] as const) {
  t.test(`a batch that fails ${fault} it is stored is refused whole, and the store recovers`, async t => {
    const { store, faults, recovered, attempt } = await openOn(t)
    await mustCommit(store, [insert('a', { terms: ['x'] }), insert('b', { terms: ['x'] })])
    t.equal(await totalOf(store, 'x'), 2)

    faults.nextBatch = fault
    const group = [
      store.commit([insert('c', { terms: ['x'] })], 5),
      store.commit([remove('a'), replace('b', 1, { terms: ['y'] })], 5),
      // A conflict is not answered either: it might rest on a write that did not happen.
      store.commit([insert('c')], 5),
    ]
    for (const commit of group) await t.rejects(commit, StoreUnavailable)
    t.equal(store.unhealthy(), 'the disk is full')
    await t.rejects(store.commit([insert('d')], 6), StoreUnavailable)
    await t.rejects(store.lease({ name: 'l', holder: 'h', nowMs: 1, untilMs: 2 }), StoreUnavailable)
    t.same(await has(store, 'a', 'b', 'c'), [1, 1, 0], 'reads go on as before the batch')
    t.equal(await totalOf(store, 'x'), 2)
    t.equal(await totalOf(store, 'y'), 0)

    const batches = faults.batches
    await attempt()
    await recovered()
    t.equal(faults.batches, batches, 'the broken opening was not written to again')
    const stored = fault === 'after'
    t.same(await has(store, 'a', 'b', 'c'), stored ? [0, 2, 1] : [1, 1, 0])
    t.equal(await totalOf(store, 'x'), stored ? 1 : 2)
    t.equal(await totalOf(store, 'y'), stored ? 1 : 0)
    const result = await mustCommit(store, [insert('d', { terms: ['x'] })], 1)
    t.same(result, { ok: true, written: [{ version: 1, createdUs: stored ? 7 : 3 }] })
    t.equal(await totalOf(store, 'x'), stored ? 2 : 3)
  })
}

t.test('recovery is retried with growing delays until the folder opens', async t => {
  const { store, faults, hand, recovered, attempt } = await openOn(t)
  await mustCommit(store, [insert('a')])
  faults.nextBatch = 'before'
  faults.open = true
  await t.rejects(store.commit([insert('b')], 1), StoreUnavailable)
  for (let n = 0; n < 8; n++) await attempt()
  await until(hand.isWaiting)
  t.same(hand.asked, [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000])
  t.ok(store.unhealthy())
  await t.rejects(has(store, 'a'), StoreUnavailable, 'closed for the attempt, it cannot be read')
  await t.rejects(totalOf(store, 'x'), StoreUnavailable)
  delete faults.open
  hand.go()
  await recovered()
  t.same(await has(store, 'a', 'b'), [1, 0])
})

t.test('without room to open it again, the folder stays open for reads', async t => {
  let room = false
  const { store, faults, hand, openings, recovered, attempt } = await openOn(t, { hasRoom: async () => room })
  await mustCommit(store, [insert('a', { terms: ['x'] })])
  faults.nextBatch = 'before'
  await t.rejects(store.commit([insert('b')], 1), StoreUnavailable)
  for (let n = 0; n < 3; n++) {
    await attempt()
    await until(hand.isWaiting)
    t.equal(openings(), 1, 'it was not closed')
    t.same(await has(store, 'a', 'b'), [1, 0])
    t.equal(await totalOf(store, 'x'), 1)
  }
  room = true
  hand.go()
  await recovered()
  t.equal(openings(), 2)
  await mustCommit(store, [insert('b')])
})

t.test('a store that fails again recovers again', async t => {
  const { store, faults, recovered, attempt } = await openOn(t)
  for (const id of ['a', 'b', 'c']) {
    faults.nextBatch = 'before'
    await t.rejects(store.commit([insert(id)], 1), StoreUnavailable)
    await attempt()
    await recovered()
    await mustCommit(store, [insert(id)])
  }
  t.same(await has(store, 'a', 'b', 'c'), [1, 1, 1])
})

t.test('a store can be closed while it recovers', async t => {
  const { store, faults, hand, folder } = await openOn(t)
  await mustCommit(store, [insert('a')])
  faults.nextBatch = 'before'
  await t.rejects(store.commit([insert('b')], 1), StoreUnavailable)
  await until(hand.isWaiting)
  await store.close()
  await t.rejects(store.commit([insert('c')], 1), StoreUnavailable)
  const again = await LevelEngine.open(folder)
  t.same(await has(again, 'a', 'b', 'c'), [1, 0, 0])
  await again.close()
})

t.test('a disk that is really full loses nothing answered, and freed it is used again', async t => {
  const folder = t.testdir()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=14m', 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    t.comment('skipped: mounting a small tmpfs needs root')
    return
  }
  try {
    await fillDisk(t, folder)
  } finally {
    execFileSync('umount', [folder])
  }
})

async function fillDisk(t: Test, folder: string): Promise<void> {
  await writeFile(`${folder}/ballast`, Buffer.alloc(10 << 20))
  await writeFile(`${folder}/crumb`, Buffer.alloc(1 << 20))
  const hand = handDelay()
  const store = await LevelEngine.open(`${folder}/data`, { delay: hand.delay })
  const answered: string[] = []
  for (let round = 0; store.unhealthy() === undefined; round++) {
    const commits = Array.from({ length: 16 }, async (_, index) => {
      const id = `${round}.${index}`
      await mustCommit(store, [insert(id, { terms: ['x', id], box: randomBytes(2_000) })])
      answered.push(id)
    })
    const outcomes = await Promise.allSettled(commits)
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    t.ok(refused.every(({ reason }) => reason instanceof StoreUnavailable))
  }
  t.equal(store.unhealthy(), 'the disk is full')
  t.ok(answered.length > 100, `${answered.length} commits were answered before`)
  const allThere = async () => (await has(store, ...answered)).every(version => version === 1)
  t.ok(await allThere(), 'what was answered can be read while the disk is full')
  t.equal(await totalOf(store, 'x'), answered.length)

  await until(hand.isWaiting)
  hand.go()
  await until(hand.isWaiting)
  t.equal(store.unhealthy(), 'the disk is full', 'still no room')
  t.ok(await allThere())

  // Room for a part of what LevelDB needs.
  execFileSync('rm', [`${folder}/crumb`])
  hand.go()
  await until(hand.isWaiting)
  t.equal(store.unhealthy(), 'the disk is full', 'not enough room')
  t.ok(await allThere(), 'reads go on')
  t.equal(await totalOf(store, 'x'), answered.length)

  execFileSync('rm', [`${folder}/ballast`])
  hand.go()
  await until(() => store.unhealthy() === undefined)
  t.ok(await allThere())
  const total = await totalOf(store, 'x')
  const whole = await store.find('token', tenantA, { op: 'all' }, everything)
  t.equal(whole.total, total)
  t.equal(whole.documents.length, total)
  // Commits that were refused may have reached the disk, whole.
  t.ok(total >= answered.length && total <= answered.length + 16)
  await mustCommit(store, [insert('after', { terms: ['x'] })])
  t.equal(await totalOf(store, 'x'), total + 1)
  await store.close()
}
