import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { newMasterKey } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { silentLog } from '../base/log.ts'
import { blockKey, keysOfSort, termPrefix } from '../storage/engines/level/keys.ts'
import { type LevelDb, openLevelDb } from '../storage/engines/level/leveldb.ts'
import { decodeDocument, decodeHeader, encodeDocument } from '../storage/engines/level/record.ts'
import { type Block, changed, decodeBlock, encodeBlock } from '../storage/index/bits.ts'
import { collectionOf } from '../storage/port/collection.ts'
import type { DocumentHeader } from '../storage/port/decide.ts'
import type { Digest } from '../storage/port/port.ts'

/** What somebody can do who may write to a data folder, but has no key. */

type Stored = { readonly key: string; readonly header: DocumentHeader; readonly value: Buffer }

/** A vault that can be closed, altered on disk, and opened again. */
function restarts(t: Test) {
  const folder = t.testdir()
  const options = {
    storage: `level:${folder}`,
    masterKey: newMasterKey(),
    developmentTenant: false,
    log: silentLog,
  }
  const open = () => openVault(t, options)
  const alter = async (tenant: string, change: (level: LevelDb, tokens: Stored[]) => Promise<void>) => {
    const level = await openLevelDb(join(folder, 'store'))
    const entries = await level.iterator(keysOfSort(collectionOf({ kind: 'token', tenant }), 'd')).all()
    const tokens = entries.map(([key, value]) => ({ key, value, header: decodeHeader(value) }))
    await change(
      level,
      tokens.sort((a, b) => a.header.ordinal - b.header.ordinal),
    )
    await level.close()
  }
  return { open, alter }
}

t.test('an altered index shows no token that the rules deny', async t => {
  const { open, alter } = restarts(t)
  const first = open()
  const tenant = await openTenant(first)
  const rules = [
    { priority: 1, container: '/open/', transform: 'reveal', permissions: ['token:read', 'token:search'] },
  ]
  const { key } = await tenant.application({ rules })
  const card = { type: 'card', data: { number: '4242424242424242' }, metadata: { customer: 'hidden' } }
  await tenant.send('POST', '/tokens', card)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 1, containers: ['/open/'] }))
    .json
  await first.close()

  await alter(tenant.tenantId, async (level, [hidden, visible]) => {
    const collection = collectionOf({ kind: 'token', tenant: tenant.tenantId })
    for (const term of visible?.header.terms ?? []) {
      const place = blockKey(termPrefix(collection, term), 0)
      const block = decodeBlock((await level.get(place)) as Buffer)
      await level.put(place, encodeBlock(changed(block, [hidden?.header.ordinal ?? 0]) as Block))
    }
  })
  const vault = open()
  const reader = sender(vault, key)
  for (const { json, text } of [
    await reader('GET', '/tokens'),
    await reader('POST', '/tokens/search', { query: 'container:"/open/"' }),
  ]) {
    const found = json.data.map((one: { id: string }) => one.id)
    t.same(found, [id])
    t.notMatch(text, /hidden|X4242|424242|\b4242\b/)
    t.equal(json.pagination.total_items, 2, 'the altered index is in use')
  }
})

t.test('an altered version or time of a document is noticed', async t => {
  const { open, alter } = restarts(t)
  const first = open()
  const tenant = await openTenant(first)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 1 })).json
  await first.close()
  const changes: Record<string, (header: DocumentHeader) => Partial<DocumentHeader>> = {
    created_us: ({ createdUs }) => ({ createdUs: createdUs - 1 }),
    modified_us: ({ createdUs }) => ({ modifiedUs: createdUs + 1 }),
    version: ({ version }) => ({ version: version + 1 }),
    nothing: () => ({}),
  }
  let original: Buffer | undefined
  for (const [name, change] of Object.entries(changes)) {
    await alter(tenant.tenantId, async (level, [token]) => {
      const { key, value } = token as Stored
      original ??= value
      const { box } = decodeDocument({ kind: 'token', tenant: tenant.tenantId }, '' as Digest, original)
      const header = decodeHeader(original)
      await level.put(key, encodeDocument({ ...header, ...change(header) }, box))
    })
    const vault = open()
    const send = sender(vault, tenant.privateKey)
    const isOpened = name === 'nothing'
    t.equal((await send('GET', `/tokens/${id}`)).status, isOpened ? 200 : 500, name)
    t.equal((await send('GET', '/tokens')).json.data.length, isOpened ? 1 : 0, `${name}: the list`)
    await vault.close()
  }
})
