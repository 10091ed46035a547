import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import {
  dyingAfter,
  newMasterKey,
  OpenMemoryEngine,
  replacing,
  sealedOn,
} from '../../../verify/support/stores.ts'
import { systemRandom } from '../../base/random.ts'
import { MemoryEngine } from '../engines/memory/memory-engine.ts'
import { addressOf, Keyring, rootTenant, UnfinishedCopy } from '../keys/keyring.ts'
import { rotateMasterKey } from '../keys/rotation.ts'
import { digest, insert, mustCommit } from '../port/port.samples.ts'
import { documentKinds, type Engine, type StoredDocument, type Write } from '../port/port.ts'
import { type CopyOptions, copyStore, openSource } from './copy-store.ts'
import { documentsIn } from './walk.ts'

const random = systemRandom()
const oldKey = newMasterKey()
const newKey = newMasterKey()
const all = { nowMs: -1, offset: 0, limit: 100_000, oldestFirst: true }

/** A store with two tenants, and records that were changed, deleted, over and unique. */
async function fill<T extends Engine>(store: T): Promise<{ store: T; tenants: string[] }> {
  const sealed = sealedOn(store, oldKey)
  const root = await sealed.root(1)
  await root.commit([root.insert('setting', { id: 'clock' })], 2)
  const tenants = [randomUUID(), randomUUID()]
  for (const tenant of tenants) {
    const view = await sealed.createTenant(tenant, 10)
    const term = view.term('type', 'token')
    for (let index = 0; index < 6; index++) {
      const record = { id: `record ${index}` }
      const unique = view.term('unique', record.id)
      await view.commit(
        [view.insert('token', record, { terms: [term], uniques: [unique], dueMs: 40 + index })],
        20,
      )
      await view.commit([view.insert('audit', { id: randomUUID() })], 5)
    }
    await view.commit([view.replace('token', 1, { id: 'record 2' }, { terms: [term] })], 900)
    await view.commit([view.remove('token', 'record 3')], 901)
  }
  return { store, tenants }
}

/** Every document of the tenants and the root; of those that hold keys all but the box, which is sealed anew. */
async function contents(store: Engine, tenants: readonly string[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const tenant of [rootTenant, ...tenants]) {
    for (const kind of documentKinds) {
      const { documents } = await store.find(kind, tenant, { op: 'all' }, all)
      found.push(...documents.map(({ box, ...rest }) => ({ ...rest, box: kind === 'tenant' ? 'keys' : box })))
    }
  }
  return found
}

async function copy(
  from: Engine,
  to: Engine,
  options: Partial<CopyOptions> & { fromKey?: Uint8Array; toKey?: Uint8Array } = {},
) {
  const source = await openSource(documentsIn(from), options.fromKey ?? oldKey)
  return copyStore({
    from: source,
    to: { store: to, masterKey: options.toKey ?? newKey },
    random,
    nowUs: 7,
    ...options,
  })
}

t.test('a copy has every document unchanged, under keys that the new master key opens', async t => {
  const { store, tenants } = await fill(new MemoryEngine())
  const before = await contents(store, tenants)
  const to = new MemoryEngine()
  const readOnly = replacing(store, { commit: async () => t.fail('the source is only read') as never })
  t.same(await copy(readOnly, to), { copied: 26, already: 0, tenants: 2, cutOff: [] })
  t.same(await contents(to, tenants), before)
  t.same(await contents(store, tenants), before)
  const copied = sealedOn(to, newKey)
  for (const tenant of tenants) {
    const view = await copied.tenant(tenant)
    t.match(await view?.get('token', 'record 2'), { value: { id: 'record 2' }, version: 2 })
    const found = await new Keyring(to, newKey, random).open(tenant)
    t.same(found, await new Keyring(store, oldKey, random).open(tenant))
  }
  await t.rejects(new Keyring(to, oldKey, random).open(rootTenant), { name: 'WrongMasterKey' })
})

t.test('a copy reports its progress, in writing and then in comparing', async t => {
  const { store } = await fill(new MemoryEngine())
  const told: string[] = []
  const onProgress = (done: string, records: number) => told.push(`${done} ${records}`)
  const { copied } = await copy(store, new MemoryEngine(), { batchSize: 9, onProgress })
  const compared = Array.from({ length: copied }, (_, at) => `compared ${at + 1}`)
  t.same(told, ['copied 9', 'copied 18', `copied ${copied}`, ...compared])
})

t.test('collections of any content are copied', async t => {
  const record = fc.record({
    kind: fc.constantFrom(...documentKinds.filter(kind => kind !== 'tenant')),
    id: fc.nat(40),
    terms: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
    uniques: fc.uniqueArray(fc.nat(200), { maxLength: 1 }),
    dueMs: fc.option(fc.nat(5), { nil: undefined }),
    box: fc.uint8Array({ maxLength: 50 }),
    nowUs: fc.nat(10 ** 9),
    fate: fc.constantFrom('kept', 'kept', 'replaced', 'removed'),
  })
  const fates = { replaced: { type: 'replace', version: 1 }, removed: { type: 'remove' } }
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 120 }),
      fc.integer({ min: 1, max: 50 }),
      async (records, batchSize) => {
        const { store, tenants } = await fill(new MemoryEngine())
        const [tenant = ''] = tenants
        for (const { nowUs, fate, dueMs, ...sample } of records) {
          const due = dueMs === undefined ? {} : { dueMs }
          const write = insert(`own ${sample.id}`, { ...sample, tenant, ...due })
          const { ok } = await store.commit([write], nowUs)
          if (ok && fate !== 'kept') await mustCommit(store, [{ ...write, ...fates[fate] } as never], nowUs)
        }
        const to = new MemoryEngine()
        await copy(store, to, { batchSize })
        t.same(await contents(to, tenants), await contents(store, tenants))
      },
    ),
    { numRuns: 25 },
  )
})

t.test('a copy that was cut off anywhere prevents servers from starting and can be finished', async t => {
  const { store, tenants } = await fill(new MemoryEngine())
  const wanted = await contents(store, tenants)
  let ended = false
  let commits = 0
  for (; !ended; commits++) {
    const to = new MemoryEngine()
    const cut = await copy(store, dyingAfter(to, commits), { batchSize: 4 }).then(
      () => 'ended',
      error => error.name,
    )
    ended = cut === 'ended'
    if (!ended) {
      t.equal(cut, 'StoreUnavailable')
      if (commits > 0) {
        for (const key of [oldKey, newKey])
          await t.rejects(sealedOn(to, key).root(1), UnfinishedCopy, `no server after ${commits} commits`)
      }
      const { copied, already } = await copy(store, to, { batchSize: 4 })
      t.equal(copied + already, 26)
      t.equal(already, Math.min(26, 4 * Math.max(0, commits - 1)), 'what was there is not written again')
    }
    t.same(await contents(to, tenants), wanted, `after ${commits} commits`)
    await sealedOn(to, newKey).root(1)
  }
  t.equal(commits, 1 + 7 + 1 + 1, 'the marker, the documents, the end of the marker, and the one that lived')
})

t.test('an unfinished copy is no source, and cannot be continued with another source or key', async t => {
  const { store, tenants } = await fill(new MemoryEngine())
  const unfinished = async (commits: number) => {
    const to = new MemoryEngine()
    await t.rejects(copy(store, dyingAfter(to, commits), { batchSize: 4 }))
    return to
  }
  const to = await unfinished(3)
  await t.rejects(copy(to, new MemoryEngine(), { fromKey: newKey }), UnfinishedCopy)
  const rotation = { store: to, from: newKey, to: oldKey, random, nowUs: 1 }
  await t.rejects(rotateMasterKey(rotation), UnfinishedCopy, 'nor can its key be rotated')
  const other = (await fill(new MemoryEngine())).store
  await t.rejects(copy(other, to), { message: /missing or differs|unfinished copy of another source/ })
  await t.rejects(copy(store, await unfinished(3), { toKey: newMasterKey() }), { name: 'CopyDiffers' })

  const before = await unfinished(5)
  const [tenant = ''] = tenants
  const view = await sealedOn(store, oldKey).tenant(tenant)
  const [first] = (await store.find('token', tenant, { op: 'all' }, all)).documents
  t.equal((await before.get('token', tenant, [first?.id as never])).length, 1)
  await view?.commit([view.replace('token', 1, { id: 'record 0' })], 1_000)
  const message = new RegExp(`${first?.id} is missing or differs`)
  await t.rejects(copy(store, before), { name: 'CopyDiffers', message }, 'a source that changed since')
})

t.test('a copy that is not possible is refused, and nothing is written', async t => {
  const empty = () => new MemoryEngine()
  const { store } = await fill(new OpenMemoryEngine())
  const { store: damaged, tenants } = await fill(new OpenMemoryEngine())
  const keys = { kind: 'tenant', tenant: rootTenant, id: addressOf(tenants[1] ?? '') } as const
  damaged.tamper(keys, ({ box }) => ({ box: box.with(50, (box[50] ?? 0) ^ 1) }))
  const { store: lost, tenants: others } = await fill(new OpenMemoryEngine())
  const cut = { ...keys, id: addressOf(others[0] ?? '') }
  lost.tamper(cut, () => ({ version: 0, box: new Uint8Array() }))
  const taken = (await fill(new MemoryEngine())).store
  const refusals: [name: string, from: Engine, to: Engine, sentence: RegExp, fromKey?: Uint8Array][] = [
    ['an empty source', empty(), empty(), /no keys yet/],
    ['another key', store, empty(), /master key of the source is not the one/, newKey],
    ['keys that were changed', damaged, empty(), new RegExp(`keys of tenant ${tenants[1]} do not open`)],
    ['keys that were cut off', lost, empty(), new RegExp(`keys of tenant ${others[0]} do not open`)],
    ['a destination with data', store, taken, /holds data already/],
    ['the source itself', store, store, /holds data already/],
  ]
  for (const [name, from, to, message, fromKey] of refusals) {
    const readOnly = replacing(to, { commit: async () => t.fail(`${name}: something was written`) as never })
    await t.rejects(copy(from, readOnly, fromKey ? { fromKey } : {}), { message }, name)
  }
  t.match(await copy(store, empty()), { copied: 26 }, 'the control')
})

t.test('a server that starts at the same moment is detected', async t => {
  const { store } = await fill(new MemoryEngine())
  const to = new MemoryEngine()
  const racing = replacing(to, {
    find: async (...given) => {
      const found = await to.find(...given)
      if (given[0] === 'tenant') await sealedOn(to, newKey).root(1)
      return found
    },
  })
  await t.rejects(copy(store, racing), { name: 'CopyRefused', message: /another process writes to it/ })
  await sealedOn(to, newKey).root(1)
})

t.test('a copy that differs from its source is reported by address, without content', async t => {
  const { store, tenants } = await fill(new MemoryEngine())
  const [tenant = ''] = tenants
  const { documents } = await store.find('token', tenant, { op: 'all' }, all)
  const [document] = documents as [StoredDocument]
  const [keys] = await store.get('tenant', rootTenant, [addressOf(tenant)])
  const changes: [of: StoredDocument, change: (document: StoredDocument) => Partial<StoredDocument>][] = [
    [document, ({ box }) => ({ box: box.with(40, (box[40] ?? 0) ^ 1) })],
    [document, ({ box }) => ({ box: box.subarray(1) })],
    [document, () => ({ terms: [] })],
    [document, ({ terms }) => ({ terms: [...terms, digest('more')] })],
    [document, ({ uniques, terms }) => ({ terms: uniques, uniques: terms })],
    [document, () => ({ version: 2 })],
    [document, () => ({ version: 0, box: new Uint8Array() })],
    [document, ({ createdUs }) => ({ createdUs: createdUs - 1 })],
    [document, ({ createdUs }) => ({ modifiedUs: createdUs + 1 })],
    [document, () => ({ dueMs: 41 })],
    [keys as StoredDocument, ({ box }) => ({ box: box.with(50, (box[50] ?? 0) ^ 1) })],
  ]
  for (const [of, change] of changes) {
    const to = new OpenMemoryEngine()
    to.tamper(of, change)
    const code = `${of.kind}/${of.tenant}/${of.id}`
    await t.rejects(copy(store, to), {
      name: 'CopyDiffers',
      message: new RegExp(`source: ${code} is missing or differs; empty`),
    })
    await t.rejects(sealedOn(to, newKey).root(1), UnfinishedCopy, 'no server starts on it')
  }
  const untouched = new OpenMemoryEngine()
  untouched.tamper(document, same => same)
  await copy(store, untouched)
})

t.test('a missing or surplus document in the copy is reported', async t => {
  const { store, tenants } = await fill(new MemoryEngine())
  const [, tenant = ''] = tenants
  const { documents } = await store.find('token', tenant, { op: 'all' }, all)
  for (const at of [0, 2, -1]) {
    const to = new MemoryEngine()
    const missing = documents.at(at)?.id
    const isMissing = ({ kind, id }: Write) => kind === 'token' && id === missing
    const commit: Engine['commit'] = (writes, nowUs) =>
      to.commit(
        writes.filter(write => !isMissing(write)),
        nowUs,
      )
    const message = new RegExp(`token/${tenant}/${missing} is missing or differs`)
    await t.rejects(copy(store, replacing(to, { commit })), { name: 'CopyDiffers', message })
  }
  const to = new MemoryEngine()
  const adding = replacing(to, {
    commit: async (writes, nowUs) => {
      const result = await to.commit(writes, nowUs)
      const isLast = writes.some(({ id }) => id === documents.at(-1)?.id)
      if (isLast) await to.commit([insert('foreign', { tenant })], nowUs)
      return result
    },
  })
  await t.rejects(copy(store, adding), { name: 'CopyDiffers', message: /is missing or differs/ })
})

t.test('a document with an invalid version or time is refused, and no server starts on the rest', async t => {
  const { store, tenants } = await fill(new OpenMemoryEngine())
  const [document] = (await store.find('token', tenants[0] ?? '', { op: 'all' }, all)).documents
  for (const lie of [{ version: 2 ** 31 }, { modifiedUs: 1 }, { dueMs: 0.5 }]) {
    store.tamper(document as StoredDocument, () => lie)
    const to = new MemoryEngine()
    const message = /^the source holds values that no store accepts: /
    await t.rejects(copy(store, to), { name: 'CopyRefused', message })
    await t.rejects(sealedOn(to, newKey).root(1), UnfinishedCopy)
  }
  store.tamper(document as StoredDocument, same => same)
  t.match(await copy(store, new MemoryEngine()), { copied: 26 }, 'the control')
})

t.test('damaged documents of the source are left out and reported, and all others are copied', async t => {
  const { store, tenants } = await fill(new OpenMemoryEngine())
  const [tenant = ''] = tenants
  const { documents } = await store.find('token', tenant, { op: 'all' }, all)
  const [lost] = documents as [StoredDocument]
  store.tamper(lost, () => ({ version: 0, box: new Uint8Array(), terms: [], uniques: [] }))
  const to = new MemoryEngine()
  const cutOff = [`token/${tenant}/${lost.id}`]
  t.same(await copy(store, to), { copied: 25, already: 0, tenants: 2, cutOff })
  t.equal((await to.find('token', tenant, { op: 'all' }, all)).total, documents.length - 1)
  await sealedOn(to, newKey).root(1)
})

t.test('`onVerified` runs before a server can start', async t => {
  const { store } = await fill(new MemoryEngine())
  const to = new MemoryEngine()
  let seen: unknown
  const failing = async () => {
    seen = await sealedOn(to, newKey)
      .root(1)
      .catch(error => error.name)
    throw new Error('no room')
  }
  await t.rejects(copy(store, to, { onVerified: failing }), /no room/)
  t.equal(seen, 'UnfinishedCopy')
  await copy(store, to)
  await sealedOn(to, newKey).root(1)
})
