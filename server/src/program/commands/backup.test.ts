// Only in CI: it takes backups under load and starts servers on them.
// In a process of its own: it takes long.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openTenant, sender } from '../../../verify/support/vault.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import { systemRandom } from '../../base/random.ts'
import { openFrozen } from '../../storage/open.ts'
import { writeBackup } from '../../storage/transfer/backup.ts'
import { openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import { backUp, base64, fill, keys, newKey, newStore, oldKey, open, read, restore } from './_copying.ts'

t.test('a backup has the state of its start, while a server writes', async t => {
  const folder = t.testdir()
  const storage = await newStore(t, 'a')
  const vault = open(t, storage, oldKey)
  const { send, privateKey } = await openTenant(vault)
  const create = (id: string) => send('POST', '/tokens', { id, type: 'token', data: 1 })
  await create('before')
  const frozen = await openFrozen(storage)
  t.teardown(() => frozen.close())
  await create('afterwards')
  t.equal((await send('DELETE', '/tokens/before')).status, 204)
  const file = join(folder, 'backup')
  await writeBackup(await openSource(documentsIn(frozen.store), oldKey), file, systemRandom(), () => {})
  const to = `level:${folder}/restored`
  t.equal((await restore(file, to)).refusal, '')
  const get = sender(open(t, to, oldKey), privateKey)
  t.equal((await get('GET', '/tokens/before')).status, 200)
  t.equal((await get('GET', '/tokens/afterwards')).status, 404)
})

t.test('a backup under load has each write that was answered before it, and no half of one', async t => {
  const folder = t.testdir()
  const storage = `level:${folder}/a`
  const vault = open(t, storage, oldKey)
  const { send, privateKey } = await openTenant(vault)
  const answered: string[] = []
  let isOver = false
  t.teardown(() => {
    isOver = true
  })
  // Enough that logs become tables, and tables are merged, while they are read.
  const long = 'x'.repeat(100_000)
  const write = async (writer: number) => {
    for (let count = 0; !isOver; count++) {
      const data = ['a', 'b'].map(half => {
        const id = `${half}-${writer}-${count}`
        return { id, type: 'token', containers: [`/${half}/`], data: `${id} ${long}` }
      })
      const { status } = await send('POST', '/tokenize', data)
      if (status !== 200) throw new Error(`the payload was answered with ${status}`)
      answered.push(`${writer}-${count}`)
    }
  }
  const writers = [1, 2, 3].map(write)
  const reached = async (wanted: number) => {
    while (answered.length < wanted) await nextTurn()
  }
  const backups: { readonly file: string; readonly before: number }[] = []
  for (let round = 0; round < 2; round++) {
    const wanted = answered.length + 25
    await Promise.race([Promise.all(writers), reached(wanted)])
    const file = join(folder, `backup-${round}`)
    const before = answered.length
    t.equal((await backUp(storage, file)).refusal, '')
    backups.push({ file, before })
  }
  isOver = true
  await Promise.all(writers)
  await vault.close()

  for (const { file, before } of backups) {
    const to = `level:${file}-restored`
    t.equal((await restore(file, to)).refusal, '')
    const restored = open(t, to, oldKey)
    const get = sender(restored, privateKey)
    for (const name of answered.slice(0, before)) {
      const { json } = await get('GET', `/tokens/a-${name}`)
      t.equal(json.data?.length, 100_001 + `a-${name}`.length, name)
    }
    const total = async (half: string) =>
      (await get('POST', '/tokens/search', { query: `container:/${half}/`, size: 1 })).json.pagination
        .total_items
    t.ok((await total('a')) >= before)
    t.equal(await total('a'), await total('b'))
    await restored.close()
  }
})

t.test('a backup that was changed or cut off is refused, and nothing is written', async t => {
  const folder = t.testdir()
  const apiKey = await fill(t, `level:${folder}/a`, 60)
  const file = join(folder, 'backup')
  t.equal((await backUp(`level:${folder}/a`, file)).exitCode, 0)
  const whole = readFileSync(file)
  t.notOk(whole.includes('as it was'), 'sealed')
  const changed = join(folder, 'changed')
  const to = `level:${folder}/b`
  const [, first = 0, second = 0, third = 0] = framesOf(whole)
  const joined = (...parts: [from: number, to?: number][]) =>
    Buffer.concat(parts.map(([from, to]) => whole.subarray(from, to)))
  const damaged = /is not a backup|another master key, or is damaged|damaged at byte|cut off/
  const bytes = Array.from({ length: 60 }, (_, part) => Math.floor((part * (whole.length - 1)) / 59))
  for (const [name, content, says, environment] of [
    ...bytes.map(at => [`byte ${at}`, whole.with(at, (whole[at] ?? 0) ^ 1), damaged] as const),
    ...bytes.map(at => [`${at} bytes`, whole.subarray(0, at), /is not a backup|cut off at byte/] as const),
    ['more behind the end', Buffer.concat([whole, Buffer.from('x')]), /damaged at byte/],
    [
      'frames in another order',
      joined([0, first], [second, third], [first, second], [third]),
      /damaged at byte/,
    ],
    ['a frame left out', joined([0, first], [second]), /damaged at byte/],
    ['another key', whole, /another master key, or is damaged/, keys(newKey, undefined)],
    ['no key', whole, /^there is no master key/, {}],
  ] as readonly (readonly [string, Uint8Array, RegExp, Record<string, string>?])[]) {
    writeFileSync(changed, content)
    const { refusal } = await restore(changed, to, environment)
    t.match(refusal, says, name)
    t.notMatch(refusal, /\n/)
    t.notOk(existsSync(join(folder, 'b')), name)
  }
  writeFileSync(changed, whole)
  t.equal((await restore(changed, to)).refusal, '', 'the control')
  t.equal(await read(t, to, oldKey, apiKey), 'as it was 1')
})

/** Returns where the frames of a backup begin, and its end. */
function framesOf(file: Buffer): number[] {
  const starts = [19 + 16]
  for (let at = 19 + 16; at < file.length; starts.push(at)) at += 4 + file.readUInt32BE(at)
  return starts
}

t.test('a backup is restored under another key, or one of development', async t => {
  const folder = t.testdir({ kept: {} })
  const full = `level:${folder}/full`
  const apiKey = await fill(t, full)
  const file = join(folder, 'backup')
  t.equal((await backUp(full, file)).refusal, '')
  t.equal((await restore(file, `level:${folder}/new`, keys(oldKey, newKey))).refusal, '')
  t.equal(await read(t, `level:${folder}/new`, newKey, apiKey), 'as it was 1')
  writeFileSync(join(folder, 'kept/master.key'), base64(oldKey))
  t.match((await restore(file, `level:${folder}/kept`, {})).output, /its key is in master\.key/)
})

t.test('a backup that was cut off is refused until its rest is removed', async t => {
  const folder = t.testdir()
  await fill(t, `level:${folder}/a`)
  const file = join(folder, 'backup')
  writeFileSync(`${file}.partial`, 'x')
  const { refusal } = await backUp(`level:${folder}/a`, file)
  t.match(refusal, /another backup writes it, or was cut off: remove it/)
  t.notOk(existsSync(file), 'and leaves no file of its name')
  rmSync(`${file}.partial`)
  mkdirSync(join(folder, 'a', 'backup-killed'))
  t.equal((await backUp(`level:${folder}/a`, file)).exitCode, 0, 'the control')
  t.same(await readdir(join(folder, 'a')), ['store'], 'nothing stays of one that was killed')
})
