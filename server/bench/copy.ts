/**
 * How long it takes to copy 100,000 tokens with all that belongs to them into another store, and how much of it
 * is reading both back.
 *
 *   npm run bench:copy -- [--tokens 100000] [--to postgres://…]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemRandom } from '../base/random.ts'
import { keyLength } from '../crypto/envelope.ts'
import { copyStore, openSource } from '../storage/copy/copy-store.ts'
import { openStore, parseStorage } from '../storage/open.ts'
import { createVault } from '../vault.ts'
import { say } from './measure.ts'

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
  let next = 0
  const lane = async () => {
    while (next < tokens) {
      const first = next
      next += atOnce
      const body = Array.from({ length: Math.min(atOnce, tokens - first) }, (_, index) => ({
        type: 'token',
        data: { name: `somebody ${first + index}`, note: 'x'.repeat(300) },
        metadata: { order: String(first + index), batch: String((first + index) % 50) },
      }))
      const response = await vault.fetch('http://bench/tokenize', {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(await response.text())
    }
  }
  await Promise.all([lane(), lane(), lane(), lane()])
  await vault.close()
}

const folder = await mkdtemp(join(tmpdir(), 'surrogate-copy-'))
try {
  const source = `level:${folder}/from`
  await fill(source)
  const from = await openStore(parseStorage(source))
  const to = await openStore(parseStorage(values.to ?? `level:${folder}/to`))
  const start = performance.now()
  const since = (moment: number) => (performance.now() - moment) / 1000
  // What comes behind the last commit but one, which is that of the last records, is reading back.
  const commits: number[] = []
  const { commit } = to
  to.commit = async (...given) => {
    const result = await commit.apply(to, given)
    commits.push(performance.now())
    return result
  }
  const { copied } = await copyStore({
    from: await openSource({ store: from, masterKey: keys.from }, random),
    to: { store: to, masterKey: keys.to },
    random,
    nowUs: Date.now() * 1000,
  })
  const all = since(start)
  const reading = since(commits.at(-2) ?? start)
  say(`${tokens} tokens, ${copied} records: ${all.toFixed(1)} s, of it ${reading.toFixed(1)} s to read back`)
  say(`${(tokens / all).toFixed(0)} tokens/s, ${(copied / all).toFixed(0)} records/s`)
  say(`${Math.round(process.resourceUsage().maxRSS / 1024)} MB at the most`)
  await from.close()
  await to.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}
