// In a process of its own: it takes long.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openTenant, sender } from '../../../verify/support/vault.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import { backUp, base64, fill, keys, moves, newKey, oldKey, open, read, restore } from './_copying.ts'

t.test('a server on the restored backup of a vault responds as the one before', async t => {
  const folder = t.testdir()
  const carry = async (from: string, to: string, environment = keys(oldKey, undefined)) => {
    const file = join(folder, 'backup')
    const { output, exitCode } = await backUp(from, file, environment)
    t.equal(exitCode, 0)
    t.match(output, /backup: \d{3} records of 2 tenants, read back and equal\n$/)
    t.equal(statSync(file).mode & 0o777, 0o600)
    return restore(file, to, environment)
  }
  await moves(t, [`level:${folder}/a`, `level:${folder}/b`], carry)
  t.same(await readdir(join(folder, 'a')), ['store'], 'nothing stays in the data folder')
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

t.test(
  'a backup that was changed, cut off or made with another key is refused, and nothing is written',
  async t => {
    const folder = t.testdir()
    const apiKey = await fill(t, `level:${folder}/a`, 60)
    const file = join(folder, 'backup')
    t.equal((await backUp(`level:${folder}/a`, file)).exitCode, 0)
    const whole = readFileSync(file)
    t.notOk(whole.includes('as it was'), 'sealed')
    const changed = join(folder, 'changed')
    const to = `level:${folder}/b`
    const refused = async (
      bytes: Uint8Array,
      sentence: RegExp,
      name: string,
      environment = keys(oldKey, undefined),
    ) => {
      writeFileSync(changed, bytes)
      const { refusal } = await restore(changed, to, environment)
      t.match(refusal, sentence, name)
      t.notMatch(refusal, /\n/)
      t.notOk(existsSync(join(folder, 'b')), name)
    }
    for (let part = 0; part < 60; part++) {
      const at = Math.floor((part * (whole.length - 1)) / 59)
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      await refused(
        bytes,
        /is not a backup|another master key, or is damaged|damaged at byte|cut off/,
        `byte ${at}`,
      )
      await refused(whole.subarray(0, at), /is not a backup|cut off at byte/, `${at} bytes`)
    }
    await refused(Buffer.concat([whole, Buffer.from('x')]), /damaged at byte/, 'more behind the end')
    await refused(framesSwapped(whole), /damaged at byte/, 'frames in another order')
    await refused(withoutFrame(whole), /damaged at byte/, 'a frame left out')
    await refused(whole, /another master key, or is damaged/, 'another key', keys(newKey, undefined))
    await refused(whole, /^there is no master key/, 'no key', {})
    writeFileSync(changed, whole)
    t.equal((await restore(changed, to)).refusal, '', 'the control')
    t.equal(await read(t, to, oldKey, apiKey), 'as it was 1')
  },
)

/** Returns where the frames of a backup begin, and its end. */
function framesOf(file: Buffer): number[] {
  const starts = [19 + 16]
  for (let at = 19 + 16; at < file.length; starts.push(at)) at += 4 + file.readUInt32BE(at)
  return starts
}

function framesSwapped(file: Buffer): Buffer {
  const [, first = 0, second = 0, third = 0] = framesOf(file)
  const parts = [
    file.subarray(0, first),
    file.subarray(second, third),
    file.subarray(first, second),
    file.subarray(third),
  ]
  return Buffer.concat(parts)
}

function withoutFrame(file: Buffer): Buffer {
  const [, first = 0, second = 0] = framesOf(file)
  return Buffer.concat([file.subarray(0, first), file.subarray(second)])
}

t.test('what cannot be backed up or restored is refused in one sentence', async t => {
  const folder = t.testdir({ taken: 'x', nothing: {} })
  const at = (name: string) => `level:${join(folder, name)}`
  const file = (name: string) => join(folder, name)
  await fill(t, at('full'))
  await fill(t, at('other'))
  const sentences: [name: string, run: () => ReturnType<typeof backUp>, sentence: RegExp][] = [
    ['a file that is there', () => backUp(at('full'), file('taken')), /taken is there already$/],
    [
      'no folder for the file',
      () => backUp(at('full'), file('no/where')),
      /where\.partial cannot be written \(ENOENT\)$/,
    ],
    ['no data', () => backUp(at('nothing'), file('a')), /^there is no data in/],
    ['memory', () => backUp('memory:', file('a')), /^memory: holds no data/],
    ['no key', () => backUp(at('full'), file('a'), {}), /^there is no master key: set/],
    [
      'another key',
      () => backUp(at('full'), file('a'), keys(newKey, undefined)),
      /^the master key of the source is not/,
    ],
    ['no file', () => restore(file('none'), at('new')), /none cannot be read$/],
    [
      'a file of another kind',
      () => restore(file('taken'), at('new')),
      /taken is not a backup of this version$/,
    ],
    ['into memory', () => restore(file('taken'), 'memory:'), /^--to cannot be memory:/],
  ]
  for (const [name, run, sentence] of sentences) {
    const { refusal } = await run()
    t.match(refusal, sentence, name)
    t.notMatch(refusal, /\n/)
  }
  t.notOk(
    existsSync(file('a')) || existsSync(file('a.partial')) || existsSync(file('new')),
    'nothing was made',
  )
  t.equal((await backUp(at('full'), file('a'))).exitCode, 0, 'the control')
  t.match((await restore(file('a'), at('other'))).refusal, /^the destination holds data already/)
  t.equal((await restore(file('a'), at('new'), keys(oldKey, newKey))).exitCode, 0, 'under another key')
  writeFileSync(join(folder, 'nothing', 'master.key'), base64(oldKey))
  t.match(
    (await restore(file('a'), at('nothing'), {})).output,
    /its key is in master\.key/,
    'a development key',
  )
})

t.test(
  'a backup that was cut off leaves no file of its name, and is refused until its rest is removed',
  async t => {
    const folder = t.testdir()
    await fill(t, `level:${folder}/a`)
    const file = join(folder, 'backup')
    writeFileSync(`${file}.partial`, 'x')
    t.match(
      (await backUp(`level:${folder}/a`, file)).refusal,
      /another backup writes it, or was cut off: remove it/,
    )
    t.notOk(existsSync(file))
    rmSync(`${file}.partial`)
    mkdirSync(join(folder, 'a', 'backup-killed'))
    t.equal((await backUp(`level:${folder}/a`, file)).exitCode, 0, 'the control')
    t.same(await readdir(join(folder, 'a')), ['store'], 'nothing stays of one that was killed')
  },
)
