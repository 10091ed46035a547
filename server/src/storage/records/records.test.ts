import { format, inspect } from 'node:util'
import t from 'tap'
import { newMasterKey, OpenMemoryEngine, sealedOn, tenantA, tenantB } from '../../../verify/support/stores.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import { largeRecordLimits } from '../../base/limits.ts'
import { BrokenRecord } from '../broken-record.ts'
import type { DocumentKind, StoredDocument } from '../port/port.ts'
import { transact } from '../port/transact.ts'
import { OpenedRecord, type RecordValue, type TenantRecords } from './records.ts'
import { TestRecords } from './test-records.ts'

interface Note extends RecordValue {
  readonly text: string
}

async function open() {
  const store = new OpenMemoryEngine()
  const broken: BrokenRecord[] = []
  const master = newMasterKey()
  const sealed = sealedOn(store, master, one => broken.push(one))
  const a = await sealed.createTenant(tenantA, 1)
  const b = await sealed.createTenant(tenantB, 1)
  return { store, broken, sealed, a, b, again: () => sealedOn(store, master) }
}

async function add(view: TenantRecords, id: string, text = `text of ${id}`, kind: DocumentKind = 'token') {
  await view.commit([view.insert(kind, { id, text } as Note, { terms: [view.term('all', 'x')] })], 1)
}

/** Changes a record, again from the start where another writer came between. */
function update<T extends RecordValue>(view: TenantRecords, id: string, change: (value: T) => T) {
  return transact(view, { nowUs: () => 2 }, async () => {
    const current = await view.get<T>('token', id)
    if (!current) return { writes: [], result: () => undefined }
    const value = change(current.value)
    const write = view.replace('token', current.version, value)
    return { writes: [write], result: written => new OpenedRecord(value, written(write)) }
  })
}

async function document(
  store: OpenMemoryEngine,
  view: TenantRecords,
  id: string,
  kind: DocumentKind = 'token',
) {
  const [found] = await store.get(kind, view.tenant, [view.address(kind, id)])
  return found as StoredDocument
}

const all = { nowMs: 0, offset: 0, limit: 100 }

t.test('a record is found by its id and its terms; the store sees neither, nor what it holds', async t => {
  const { store, a } = await open()
  await add(a, 'visible-id', 'visible text')
  t.equal((await a.get<Note>('token', 'visible-id'))?.value.text, 'visible text')
  t.equal(await a.get('token', 'Visible-id'), undefined)
  const kept = await document(store, a, 'visible-id')
  t.notMatch(Buffer.from(kept.box).toString('latin1'), 'visible')
  t.notMatch(JSON.stringify({ ...kept, box: '' }), 'visible')
})

t.test('an opened record cannot be printed', async t => {
  const { a } = await open()
  await add(a, 'one', 'visible text')
  const { records } = await a.find<Note>('token', { op: 'all' }, all)
  const updated = await update<Note>(a, 'one', value => value)
  for (const record of [await a.get<Note>('token', 'one'), records[0], updated]) {
    t.equal(record?.value.text, 'visible text')
    const inspected = inspect({ deep: [{ record }] }, { depth: 9, showHidden: true })
    const formatted = format('%s %o %j', record, record, record)
    for (const text of [`${record}`, JSON.stringify({ record }), inspected, formatted]) {
      t.match(text, '[hidden]')
      t.notMatch(text, 'visible')
    }
  }
})

t.test('the digest of a value differs by tenant, field, kind and use', async t => {
  const { a, b } = await open()
  const digests = [
    a.term('type', 'card'),
    b.term('type', 'card'),
    a.term('container', 'card'),
    a.term('typec', 'ard'),
    a.address('token', 'card'),
    b.address('token', 'card'),
    a.address('key', 'card'),
    a.publicDigest('type', 'card').slice(0, 22),
  ]
  t.equal(new Set(digests).size, digests.length)
  for (const digest of digests) t.match(digest, /^[\w-]{22}$/)
  t.equal(a.term('type', 'card'), a.term('type', 'card'))
})

t.test('the address of an id that begins with its time does, too, and tells no more', async t => {
  const { a, b } = await open()
  const id = '0199d2c4-7a31-7c02-9f3e-5b1d2c4f8e13'
  const time = Buffer.from('0199d2c47a31', 'hex').toString('base64url')
  const digestIn = (address: string) => address.slice(8)
  const address = a.address('token', id)
  t.match(address, /^[\w-]{22}$/)
  t.equal(address.slice(0, 8), time)
  const others = {
    'of another tenant': b.address('token', id),
    'of another kind': a.address('job', id),
    'of another id of that moment': a.address('token', id.replace('9f3e', '9f3f')),
    'of another moment': a.address('token', id.replace('7a31', '7a32')),
  }
  t.equal(a.address('token', id.toUpperCase()), address, 'the same in capitals')
  for (const [name, other] of Object.entries(others)) t.not(digestIn(other), digestIn(address), name)
  const unlike = {
    'of version 4': id.replace('-7c', '-4c'),
    longer: `${id}0`,
    'like a card number': id.replace('0199d2c4-7a31', '42424242-4242'),
  }
  for (const [name, other] of Object.entries(unlike)) {
    const begin = Buffer.from(other.replaceAll('-', '').slice(0, 12), 'hex').toString('base64url')
    t.not(a.address('token', other).slice(0, 8), begin, name)
  }
})

/** Everything that can be wrong with a record, as what is put in the place of the record `here`. */
const damages: Record<string, (given: Awaited<ReturnType<typeof open>>) => Promise<Partial<StoredDocument>>> =
  {
    'a changed byte': async ({ store, a }) => {
      const { box } = await document(store, a, 'here')
      return { box: box.map((byte, at) => (at === box.length - 20 ? byte ^ 1 : byte)) }
    },
    'a changed key version': async ({ store, a }) => {
      const { box } = await document(store, a, 'here')
      return { box: box.map((byte, at) => (at === 4 ? 2 : byte)) }
    },
    'its last byte missing': async ({ store, a }) => ({
      box: (await document(store, a, 'here')).box.slice(0, -1),
    }),
    'only its header left': async ({ store, a }) => ({
      box: (await document(store, a, 'here')).box.slice(0, 20),
    }),
    nothing: async () => ({ box: new Uint8Array() }),
    'another record of the tenant': async ({ store, a }) => ({
      box: (await document(store, a, 'other')).box,
    }),
    'the record of this id of another kind': async ({ store, a }) => ({
      box: (await document(store, a, 'here', 'job-content')).box,
    }),
    'the record of this id of another tenant': async ({ store, b }) => ({
      box: (await document(store, b, 'here')).box,
    }),
    'another time of creation': async ({ store, a }) => {
      const { createdUs } = await document(store, a, 'here')
      return { createdUs: createdUs + 1 }
    },
    'a time of modification': async ({ store, a }) => {
      const { createdUs } = await document(store, a, 'here')
      return { modifiedUs: createdUs + 1 }
    },
    'another version': async ({ store, a }) => ({ version: (await document(store, a, 'here')).version + 1 }),
    'what it was before it was changed': async ({ store, a }) => {
      const before = (await document(store, a, 'here')).box
      await update<Note>(a, 'here', value => ({ ...value, text: 'new' }))
      return { box: before }
    },
  }

for (const [name, damage] of Object.entries(damages)) {
  t.test(`${name} in the place of a record is noticed, and the others can be read`, async t => {
    const given = await open()
    const { store, broken, a, b } = given
    for (const id of ['first', 'here', 'other']) await add(a, id)
    await add(b, 'here')
    await add(a, 'here', 'a code', 'job-content')
    const place = { kind: 'token', tenant: tenantA, id: a.address('token', 'here') } as const
    const change = await damage(given)
    store.tamper(place, () => change)

    const refused = { name: 'BrokenRecord', code: `token/${tenantA}/${place.id}` }
    await t.rejects(a.get('token', 'here'), refused)
    await t.rejects(a.getMany('token', ['first', 'here']), refused)
    await t.rejects(a.at('token', place.id), refused)
    await t.rejects(a.find('token', { op: 'all' }, all), refused)
    await t.rejects(
      update(a, 'here', value => value),
      refused,
      'nothing is written over it',
    )
    t.same(broken, [], 'who asks for it is told himself')
    const { total, records } = await a.findReadable<Note>('token', { op: 'all' }, all)
    const found = records.map(({ value }) => value.id)
    t.same(found, ['other', 'first'])
    t.equal(total, 3, 'the gap shows')
    t.equal(broken.length, 1)
    t.match(broken[0], refused)
    t.equal((await a.get<Note>('token', 'other'))?.value.text, 'text of other')
    t.equal((await b.get<Note>('token', 'here'))?.value.text, 'text of here')
  })
}

t.test('an error has the place of the record, not its content', async t => {
  const error = new BrokenRecord('token', tenantA, 'x'.repeat(22) as never)
  t.equal(error.message, 'a stored record does not open')
  t.equal(error.code, `token/${tenantA}/${'x'.repeat(22)}`)
})

t.test('a record is removed without being opened, if it is there', async t => {
  const { store, a } = await open()
  await add(a, 'one')
  store.tamper({ kind: 'token', tenant: tenantA, id: a.address('token', 'one') }, () => ({
    box: new Uint8Array(),
  }))
  t.ok((await a.commit(await a.removal('token', 'one'), 2)).ok)
  t.same(await a.removal('token', 'one'), [])
})

t.test('due records come from all tenants, earliest first, each with the store of its tenant', async t => {
  const { sealed, a, b } = await open()
  const due = (view: TenantRecords, id: string, dueMs: number) => view.insert('token', { id }, { dueMs })
  await sealed.commit([due(a, 'late', 30), due(b, 'early', 10), due(a, 'never', 1000)], 1)
  const found = await sealed.due('token', 30, 10)
  const seen = found.map(({ store, record }) => [store?.tenant, record?.value.id])
  t.same(seen, [
    [tenantB, 'early'],
    [tenantA, 'late'],
  ])
  t.equal((await sealed.due('token', 30, 1)).length, 1)
})

t.test('a broken record does not hide the other due records', async t => {
  const { store, sealed, broken, a, b } = await open()
  const due = (view: TenantRecords, id: string) => view.insert('token', { id }, { dueMs: 10 })
  await sealed.commit([due(a, 'broken'), due(a, 'whole'), due(b, 'keyless')], 1)
  store.tamper({ kind: 'token', tenant: tenantA, id: a.address('token', 'broken') }, () => ({
    box: new Uint8Array(),
  }))
  const found = await sealed.due('token', 10, 10)
  const seen = found.map(({ store, record }) => [store?.tenant, record?.value.id])
  t.same(seen, [
    [tenantA, undefined],
    [tenantA, 'whole'],
    [tenantB, 'keyless'],
  ])
  t.equal(broken.length, 1)
})

t.test('opened records in memory are dropped when the store is emptied', async t => {
  const { sealed, store, a } = await open()
  await a.commit([a.insert('setting', { id: 's' })], 1)
  t.ok(await a.get('setting', 's'))
  t.equal(await a.get('setting', 's'), await a.get('setting', 's'), 'opened once')
  await new TestRecords(sealed, store).clear()
  await t.rejects(
    async () => a.get('setting', 's'),
    { name: 'StoreEmptied' },
    'the store of a tenant that is gone',
  )
  t.equal(await sealed.tenant(tenantA), undefined)
})

t.test('large records are read a few at a time, and only so many wait; other tenants do not', async t => {
  const { sealed, a, b } = await open()
  for (const view of [a, b]) await add(view, 'small')
  await add(a, 'large', 'x'.repeat(100_000))
  // The page is long, but none of its records is large.
  for (let n = 0; n < 5; n++) await add(b, `page ${n}`, 'x'.repeat(60_000))
  await b.findPage('token', { op: 'all' }, all)
  const { engine } = sealed
  const get = engine.get.bind(engine)
  const goOn: (() => void)[] = []
  let asked = 0
  engine.get = async (...given) => {
    asked++
    await new Promise<void>(resolve => goOn.push(resolve))
    return get(...given)
  }
  const { running, waiting } = largeRecordLimits
  const refused: unknown[] = []
  const read = (view: TenantRecords, id: string) =>
    view.get<Note>('token', id).catch(error => refused.push(error))
  const reads = Array.from({ length: running + waiting + 2 }, (_, n) => read(a, n % 2 ? 'large' : 'small'))
  t.equal(asked, running)
  const others = Array.from({ length: 10 }, () => read(b, 'small'))
  t.equal(asked, running + 10)
  while (goOn.length > 0) {
    for (const one of goOn.splice(0)) one()
    await nextTurn()
  }
  await Promise.all([...reads, ...others])
  t.equal(asked, running + 10 + waiting)
  t.match(refused, [{ code: 'rate_limited' }, { code: 'rate_limited' }])
  t.equal(refused.length, 2)
})
