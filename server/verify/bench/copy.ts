/**
 * Measures how long it takes to copy 100,000 tokens with all related documents to another store, and how much of it
 * is the verification; with a database, also the copy back from it.
 *
 *   npm run bench -- copy [--tokens 100000] [--to postgres://…]
 */
import { parseArgs } from 'node:util'
import { systemRandom } from '../../src/base/random.ts'
import { keyLength } from '../../src/crypto/envelope.ts'
import { openStore, parseStorage } from '../../src/storage/open.ts'
import { copyStore, type KeyedStore, openSource } from '../../src/storage/transfer/copy-store.ts'
import { documentsIn } from '../../src/storage/transfer/walk.ts'
import { createVault } from '../../src/vault.ts'
import { generate } from '../load/generate.ts'
import { ownCpuUs, say } from './figures.ts'
import { workFolder } from './servers.ts'

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '100000' }, to: { type: 'string' } },
})
const tokens = Number(values.tokens)
const atOnce = 100
const random = systemRandom()
const keys = { from: random.bytes(keyLength), to: random.bytes(keyLength) }

async function fill(storage: string): Promise<void> {
  const vault = createVault({ storage, masterKey: keys.from })
  const { privateKey } = await vault.createTenant()
  const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }
  const send = async (batch: number): Promise<void> => {
    const first = batch * atOnce
    const body = Array.from({ length: Math.min(atOnce, tokens - first) }, (_, index) => ({
      type: 'token',
      data: { name: `somebody ${first + index}`, note: 'x'.repeat(300) },
      metadata: { order: String(first + index), batch: String((first + index) % 50) },
    }))
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await vault.fetch('http://bench/tokenize', request)
    if (!response.ok) throw new Error(await response.text())
  }
  await generate({ senders: 4, requests: Math.ceil(tokens / atOnce), send })
  await vault.close()
}

/** Copies and prints the time. */
async function copy(name: string, from: KeyedStore, to: KeyedStore): Promise<void> {
  // The verification starts after the second-last commit, which has the last records.
  const commits: number[] = []
  const { commit } = to.store
  to.store.commit = async (...given) => {
    const result = await commit.apply(to.store, given)
    commits.push(performance.now())
    return result
  }
  const start = performance.now()
  const before = ownCpuUs()
  const { copied } = await copyStore({
    from: await openSource(documentsIn(from.store), from.masterKey),
    to,
    random,
    nowUs: Date.now() * 1000,
  })
  const all = (performance.now() - start) / 1000
  const reading = (performance.now() - (commits.at(-2) ?? start)) / 1000
  const cpuSeconds = ((ownCpuUs() - before) / 1e6).toFixed(1)
  const rates = `${(tokens / all).toFixed(0)} tokens/s, ${(copied / all).toFixed(0)} records/s`
  say(
    `${name}: ${all.toFixed(1)} s, of which ${reading.toFixed(1)} s to verify; ${rates}; ${cpuSeconds} s of processor time`,
  )
}

const folder = workFolder('copy')
await fill(`level:${folder}/from`)
const open = async (storage: string, masterKey: Uint8Array) => ({
  store: await openStore(parseStorage(storage)),
  masterKey,
})
const from = await open(`level:${folder}/from`, keys.from)
const to = await open(values.to ?? `level:${folder}/to`, keys.to)
const engine = values.to === undefined ? 'LevelDB' : 'PostgreSQL'
await copy(`LevelDB to ${engine}`, from, to)
await from.store.close()
if (values.to !== undefined) {
  const back = await open(`level:${folder}/back`, keys.from)
  await copy(`${engine} to LevelDB`, to, back)
  await back.store.close()
}
await to.store.close()
say(`${Math.round(process.resourceUsage().maxRSS / 1024)} MB peak resident size`)
