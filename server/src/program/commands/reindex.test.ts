import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { LevelEngine } from '../../storage/engines/level/level-engine.ts'
import { openLevelDb } from '../../storage/engines/level/leveldb.ts'
import { keys, oldKey as masterKey, run } from './_copying.ts'

const open = (folder: string) => openVault(t, { storage: `level:${folder}`, masterKey, dev: false })

/** Creates, changes and deletes tokens of all types. Returns a key that may search them. */
async function fill(folder: string): Promise<string> {
  const vault = open(folder)
  const { send, privateKey } = await openTenant(vault)
  for (let index = 0; index < 30; index++) {
    const id = `Token-${index}`
    const common = {
      id,
      containers: index % 3 ? ['/a/', '/B/c/'] : ['/a/'],
      metadata: { Mod: String(index % 4) },
      deduplicate_token: true,
      ...(index % 5 ? {} : { expires_at: '2999-01-01' }),
    }
    const ssn = { type: 'social_security_number', data: String(123_456_000 + index) }
    const card = { type: 'card', data: { number: '4242424242424242', cvc: '123' }, deduplicate_token: false }
    const reply = await send('POST', '/tokens', { ...common, ...(index % 2 ? ssn : card) } as never)
    if (reply.status !== 201) throw new Error(reply.text)
    if (index % 6 === 1) await send('PATCH', `/tokens/${id}`, { metadata: { mod: 'x' } })
    if (index % 7 === 1) await send('DELETE', `/tokens/${id}`)
  }
  await vault.clock.advance(2 * 3600 * 1000)
  await vault.close()
  return privateKey
}

async function count(folder: string, apiKey: string, query: string): Promise<number> {
  const vault = open(folder)
  try {
    return (await sender(vault, apiKey)('POST', '/tokens/search', { query })).json.pagination.total_items
  } finally {
    await vault.close()
  }
}

const reindex = (folder: string) =>
  run('reindex', ['--storage', `level:${folder}`], keys(masterKey, undefined))

async function change(
  folder: string,
  damage: (level: Awaited<ReturnType<typeof openLevelDb>>) => Promise<void>,
) {
  const level = await openLevelDb(join(folder, 'store'))
  await damage(level)
  await level.close()
}

t.test('a damaged index is built again from the records', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const queries = ['metadata.mod:1', 'container:/b/*', 'type:card', 'data:6029 OR id:token-4', '']
  const totals = async () => {
    const found: number[] = []
    for (const query of queries) found.push(await count(folder, apiKey, query))
    return found
  }
  const before = await totals()
  const seen = before.every(total => total > 0)
  t.ok(seen, before.join())
  // All that tokens are found by is gone, and there are entries of none.
  await change(folder, async level => {
    for (const key of (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(isIndex)) await level.del(key)
    await level.put(`o${'A'.repeat(22)}b${'B'.repeat(22)}00000`, Buffer.from([0, 1, 0]))
  })
  t.not((await totals()).join(), before.join(), 'the control')
  t.match(await reindex(folder), { exitCode: 0, output: /^the index of [\d,]+ records was built\n$/ })
  t.same(await totals(), before)
})

/** All keys of a collection are part of the index but those of documents and counters. */
const isIndex = (key: string) => !['d', 'n'].includes(key[23] ?? '')

t.test('the index entries are computed from the record, not from its stored terms', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const store = await LevelEngine.open(join(folder, 'store'))
  // As a version that knew fewer terms would have left it.
  await store.reindex(async ({ kind, terms, uniques, dueMs }) =>
    kind === 'token'
      ? { terms: terms.slice(0, 1), uniques, ...(dueMs === undefined ? {} : { dueMs }) }
      : undefined,
  )
  await store.close()
  t.equal(await count(folder, apiKey, 'metadata.mod:1'), 0, 'the control')
  t.match(await reindex(folder), { output: /was built/ })
  t.ok((await count(folder, apiKey, 'metadata.mod:1')) > 0)
})

t.test('only records whose entries change are written again', async t => {
  const folder = t.testdir()
  await fill(folder)
  const store = join(folder, 'store')
  // The end of a document is its box.
  const boxes: Buffer[] = []
  await change(folder, async level => {
    for await (const [key, value] of level.iterator({ gte: 'o', lt: 'p' })) {
      if (key[23] === 'd') boxes.push(value.subarray(-40))
    }
  })
  const copies = async () => {
    const files = await Promise.all((await readdir(store)).map(name => readFile(join(store, name))))
    return boxes.map(box => files.filter(file => file.includes(box)).length)
  }
  t.not(boxes.length, 0)
  const once = boxes.map(() => 1)
  t.same(await copies(), once)
  await reindex(folder)
  t.same(await copies(), once)
  const level = await LevelEngine.open(store)
  await level.reindex(async ({ kind, uniques }) => (kind === 'token' ? { terms: [], uniques } : undefined))
  await level.close()
  t.ok(
    (await copies()).every(count => count > 1),
    'the control',
  )
})

t.test('no server starts on an index that was not built to the end, until it is', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const before = await count(folder, apiKey, '')
  const store = await LevelEngine.open(join(folder, 'store'))
  let left = 10
  const dying = store.reindex(async () => {
    if (left-- === 0) throw new Error('killed')
    return undefined
  })
  await t.rejects(dying)
  await store.close()
  const refused = {
    name: 'DataFolderRefused',
    message: /index was not built to the end: run .+ reindex again/,
  }
  await t.rejects(LevelEngine.open(join(folder, 'store')), refused)
  t.match(await reindex(folder), { output: /was built/ })
  t.equal(await count(folder, apiKey, ''), before)
})

t.test('an earlier state of a token is found by the audit log, and a deleted token too', async t => {
  const steps: Record<string, [method: string, body?: object]> = {
    updated: ['PATCH', { metadata: { a: 'b' } }],
    deleted: ['DELETE'],
  }
  for (const [name, [method, body]] of Object.entries(steps)) {
    const folder = t.testdir()
    const vault = open(folder)
    const { send, privateKey } = await openTenant(vault)
    await send('POST', '/tokens', { id: 'one', type: 'token', data: 1 })
    await send('PATCH', '/tokens/one', { data: 2 })
    await vault.close()
    let key = ''
    let before = Buffer.of()
    await change(folder, async level => {
      key = (await level.keys({ gte: 'o', lt: 'p' }).all()).find(one => one[23] === 'd') ?? ''
      before = Buffer.from((await level.get(key)) ?? [])
    })
    const again = open(folder)
    const sendAgain = sender(again, privateKey)
    await sendAgain(method, '/tokens/one', body as never)
    // Two tokens with one id, of which the first was changed more often.
    for (const times of [3, 1]) {
      await sendAgain('POST', '/tokens', { id: 'two', type: 'token', data: 1 })
      for (let n = 0; n < times; n++) await sendAgain('PATCH', '/tokens/two', { data: n })
      if (times > 1) await sendAgain('DELETE', '/tokens/two')
    }
    await again.close()
    t.match(await reindex(folder), { output: /was built\n$/ }, `${name}: control`)

    await change(folder, level => level.put(key, before))
    const sentence = /^1 tokens are in a state that the audit log says was changed or erased: /
    t.match(await reindex(folder), { refusal: sentence }, name)
    const opened = open(folder)
    const { status } = await sender(opened, privateKey)('GET', '/tokens/one')
    t.equal(status, 200, 'a server does not ask the log')
    await sender(opened, privateKey)('PATCH', '/tokens/one', { data: 3 })
    await opened.close()
    t.match(await reindex(folder), { refusal: sentence }, `${name}: nor is it hidden by another change`)
  }
})

t.test('records that were altered or cut off are named, and altered ones keep their entries', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const before = await count(folder, apiKey, 'container:/a/')
  let cutOff = ''
  await change(folder, async level => {
    const keys = (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(one => one[23] === 'd')
    const [altered = '', cut = ''] = keys
    const value = Buffer.from((await level.get(altered)) ?? [])
    value[value.length - 1] = (value.at(-1) ?? 0) ^ 1
    await level.put(altered, value)
    await level.put(cut, Buffer.from('short'))
    cutOff = cut.slice(24)
  })
  const { exitCode, output } = await reindex(folder)
  t.equal(exitCode, 2)
  t.match(
    output,
    /built; 2 records do not open and were left as they are:\n( {2}token\/[\w-]+\/[\w-]{22}\n){2}$/,
  )
  t.ok(output.includes(cutOff), 'one that was cut off on the disk')
  t.equal(await count(folder, apiKey, 'container:/a/'), before - 1)
})

t.test('a folder that LevelDB cannot open is repaired', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const before = await count(folder, apiKey, '')
  for (const lost of [/^CURRENT$/, /^MANIFEST-/]) {
    const name = (await readdir(join(folder, 'store'))).find(one => lost.test(one)) ?? ''
    await rm(join(folder, 'store', name))
    await t.rejects(open(folder).ready(), { message: /^The data folder is damaged: .+ reindex, / })
    t.match(await reindex(folder), { output: /was built/ })
    t.equal(await count(folder, apiKey, ''), before)
  }
})
