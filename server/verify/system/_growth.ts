import type { Test } from 'tap'
import { LevelEngine } from '../../src/storage/engines/level/level-engine.ts'
import { type LevelDb, openLevelDb } from '../../src/storage/engines/level/leveldb.ts'
import type { Vault } from '../../src/vault.ts'
import { createAt, searchesIn, tokenizeAt } from '../bench/growth/corpus.ts'
import { bootstrap, keys, masterKey } from '../support/callers.ts'
import { openVault } from '../support/vault.ts'

interface Counts {
  keysRead: number
  bytesWritten: number
}

/** Counts what is asked of LevelDB. */
function counted(level: LevelDb, counts: Counts): LevelDb {
  const replace = (
    of: object,
    name: string,
    around: (given: readonly unknown[], result: unknown) => unknown,
  ) => {
    const methods = of as Record<string, (...given: readonly unknown[]) => unknown>
    const own = methods[name]?.bind(of)
    methods[name] = (...given) => around(given, own?.(...given))
  }
  const read = (number: number) => {
    counts.keysRead += number
  }
  for (const name of ['get', 'getSync', 'getMany']) {
    replace(level, name, ([asked], result) => {
      read(Array.isArray(asked) ? asked.length : 1)
      return result
    })
  }
  for (const name of ['iterator', 'keys']) {
    replace(level, name, (_, iterator) => {
      replace(iterator as object, 'nextv', async (_, found) => {
        read(((await found) as readonly unknown[]).length)
        return found
      })
      return iterator
    })
  }
  replace(level, 'batch', (_, batch) => {
    replace(batch as object, 'put', ([key, value], result) => {
      counts.bytesWritten += String(key).length + (value as Uint8Array).length
      return result
    })
    return batch
  })
  return level
}

const headers = { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' }

async function ask(vault: Vault, method: string, path: string, body?: string) {
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const response = await vault.fetch(`http://vault${path}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Returns what single requests ask of LevelDB where so many tokens are stored, on a server that was just started. */
async function countsAt(t: Test, size: number): Promise<Readonly<Record<string, number>>> {
  const counts: Counts = { keysRead: 0, bytesWritten: 0 }
  const folder = t.testdir({})
  const openLevel = async (at: string) => counted(await openLevelDb(at), counts)
  const open = () =>
    openVault(
      t,
      { masterKey: Buffer.from(masterKey, 'base64'), bootstrap, dev: false },
      { openStore: () => LevelEngine.open(folder, { openLevel }) },
    )
  const filled = open()
  let next = 0
  const lane = async () => {
    while (next < size) {
      const [first, count] = [next, Math.min(100, size - next)]
      next += count
      await ask(filled, 'POST', '/tokenize', tokenizeAt(first, count).body)
    }
  }
  const fromMs = Date.now()
  await Promise.all(Array.from({ length: 4 }, lane))
  const toMs = Date.now()
  const before = counts.bytesWritten
  const more = 200
  for (let n = 0; n < more; n++) await ask(filled, 'POST', '/tokens', createAt(size + n).body)
  const bytesWritten = (counts.bytesWritten - before) / more
  const { id } = (await ask(filled, 'GET', '/tokens?size=1&page=7')).data[0]
  await filled.close()

  const read: Record<string, number> = {}
  const vault = open()
  await vault.ready()
  await ask(vault, 'GET', '/tokens/none').catch(() => {})
  const keysOf = async (
    name: string,
    ...request: Parameters<typeof ask> extends [Vault, ...infer R] ? R : []
  ) => {
    const before = counts.keysRead
    await ask(vault, ...request)
    read[name] = counts.keysRead - before
  }
  await keysOf('get', 'GET', `/tokens/${id}`)
  await keysOf('first page', 'GET', '/tokens?size=20')
  await keysOf('last page', 'GET', `/tokens?size=20&page=${Math.floor(size / 20)}`)
  const at = (share: number) => new Date(fromMs + (toMs - fromMs) * share).toISOString()
  for (const [name, query] of Object.entries(searchesIn(size, at(0.5), at(0.55))))
    await keysOf(name, 'POST', '/tokens/search', JSON.stringify({ query, size: 20 }))
  await vault.close()
  return { 'bytes written a create': Math.round(bytesWritten), ...read }
}

/** What one block of the index covers. A create writes those that it is in again: the more of them are used, the longer. */
const tokensOfBlock = 4096
const small = 1000

/** The most blocks that a request may read for each that the index has: those of its terms, or of all documents. */
const termsOf: Readonly<Record<string, number>> = {
  'first page': 1,
  'last page': 1,
  'range of dates': 1,
  'term of all': 1,
  'half AND a tenth AND NOT a twentieth': 3,
  'one of 15': 15,
}

/** Shows that cost does not grow with the number of tokens, but for lists and searches, which read blocks. */
export async function checkGrowth(t: Test, blocks: number): Promise<void> {
  const large = small + blocks * tokensOfBlock
  const [few, many] = [await countsAt(t, small), await countsAt(t, large)]
  t.comment(JSON.stringify({ [small]: few, [large]: many }))
  for (const [name, count] of Object.entries(many)) {
    const most = 1.25 * (few[name] ?? 0) + 60 + (termsOf[name] ?? 0) * blocks
    t.ok(count <= most, `${name}: ${few[name]}, then ${count}, at most ${most}`)
  }
}
