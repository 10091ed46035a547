import t from 'tap'
import { DataFolderDamaged } from '../data-folder-errors.ts'
import { LevelStore } from '../level-store.ts'
import { fileIn, fillFolder, flipped, intactOf, readIn, withFile } from './_damaged.ts'
import { findLogDamage } from './log-damage.ts'
import { blockBytes, encodeLog, fragmentAt, headerBytes } from './log-format.ts'

/** The places of all fragments of an intact log. */
function fragmentsOf(bytes: Buffer): number[] {
  const places: number[] = []
  for (let block = 0; block < bytes.length; block += blockBytes) {
    const end = Math.min(block + blockBytes, bytes.length)
    for (let at = block; end - at >= headerBytes; ) {
      const fragment = fragmentAt(bytes, at, end)
      if (!fragment) throw new Error('not an intact log')
      places.push(at)
      at = fragment.end
    }
  }
  return places
}

const folder = t.testdir()
const names = await fillFolder(folder, 60, 800)
const log = await fileIn(folder, /\.log$/)
const bytes = await readIn(folder, log)
const places = fragmentsOf(bytes)
const lastPlace = places.at(-1) ?? 0

t.test('the log of a closed folder is intact', async t => {
  t.ok(bytes.length > 2 * blockBytes, 'fragments cross blocks')
  t.equal(await findLogDamage(bytes), undefined)
  const store = await LevelStore.open(`${folder}.own`)
  await store.close()
})

t.test('one changed byte anywhere is found, or loses nothing', async t => {
  const headers = places.flatMap(at => Array.from({ length: headerBytes }, (_, index) => at + index))
  const lastRecord = Array.from({ length: bytes.length - lastPlace }, (_, index) => lastPlace + index)
  const others = Array.from({ length: bytes.length }, (_, at) => at).filter(at => at % 29 === 0)
  const unnoticed: number[] = []
  const all = new Set([...headers, ...lastRecord, ...others])
  for (const at of all) {
    for (const bits of at % 7 === 0 ? [1, 0x80, 0xff] : [1 << (at % 8)]) {
      if ((await findLogDamage(flipped(bytes, at, bits))) === undefined) unnoticed.push(at)
    }
  }
  t.comment(`${all.size} places of ${bytes.length}`)
  t.ok(unnoticed.length < 30, `${unnoticed.length} unnoticed`)
  for (const at of unnoticed) {
    const intact = await withFile(folder, log, flipped(bytes, at), async copy => {
      const store = await LevelStore.open(copy)
      const found = await intactOf(store, names, 800)
      await store.close()
      return found
    })
    t.equal(intact.length, names.length, `byte ${at} is in an unused end of a block`)
  }
})

t.test('a folder with a changed byte is refused and not changed', async t => {
  for (const at of [0, places[10] ?? 0, lastPlace + 4, bytes.length - 1]) {
    await withFile(folder, log, flipped(bytes, at), async copy => {
      for (const _ of [1, 2]) {
        const error = await LevelStore.open(copy).catch(error => error)
        t.type(error, DataFolderDamaged)
        t.match(
          error.message,
          /^The data folder is damaged \(\d+\.log at byte \d+\): restore it from a backup, or run surrogate-server reindex --repair, which keeps what is intact\.$/,
        )
      }
      t.same(await readIn(copy, log), flipped(bytes, at))
    })
  }
})

t.test('a record that a crash cut short is not damage, wherever it was cut', async t => {
  const cuts = Array.from({ length: 300 }, (_, index) => bytes.length - 1 - index * 7)
  for (const end of [
    ...cuts,
    ...places,
    ...places.map(at => at + 3),
    ...places.map(at => at + headerBytes),
  ]) {
    const at = await findLogDamage(bytes.subarray(0, end))
    if (at !== undefined) t.fail(`cut at ${end}, it is called damaged at ${at}`)
  }
  const whole = await withFile(folder, log, bytes.subarray(0, bytes.length - 1), async copy => {
    const store = await LevelStore.open(copy)
    const found = await intactOf(store, names, 800)
    await store.close()
    return found
  })
  t.equal(whole.length, names.length - 1, 'all but the torn one are there')
})

t.test('pages of zeros at the end are not damage', async t => {
  const page = (bytes: Buffer, from: number) => Buffer.from(bytes).fill(0, from)
  for (let from = 4096; from < bytes.length - 64; from += 4096) {
    t.equal(await findLogDamage(page(bytes, from)), undefined, `zeros from ${from} on`)
  }
  t.equal(await findLogDamage(Buffer.concat([bytes, Buffer.alloc(10_000)])), undefined)
  const middle = Buffer.from(bytes).fill(0, 4096, 8192)
  t.equal(typeof (await findLogDamage(middle)), 'number', 'in the middle they are')
  const before = Buffer.concat([flipped(bytes, bytes.length - 1), Buffer.alloc(10_000)])
  t.equal(typeof (await findLogDamage(before)), 'number', 'and so is a changed byte before them')
})

t.test('a range of changed bytes is damage', async t => {
  for (let from = 0; from < bytes.length; from += 3_001) {
    const other = Buffer.from(bytes).fill(0xa5, from, from + 512)
    if ((await findLogDamage(other)) === undefined) t.fail(`from ${from} on`)
  }
})

t.test('a log is written as LevelDB writes it', async t => {
  const records: Buffer[] = []
  let open: Buffer[] = []
  for (const at of places) {
    const fragment = fragmentAt(bytes, at, bytes.length)
    if (!fragment) throw new Error('not an intact log')
    open.push(bytes.subarray(fragment.start, fragment.end))
    if (fragment.type === 2 || fragment.type === 3) continue
    records.push(Buffer.concat(open))
    open = []
  }
  t.ok(encodeLog(records).equals(bytes))
})
