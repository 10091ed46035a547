/**
 * Fills a folder with tokens through the whole server, without a socket: 64 requests at a time, while its clock
 * advances by two years. Run by `run.ts` as a separate process.
 *
 *     build.ts FOLDER COUNT
 */
import { createVault } from '../../../src/vault.ts'
import { bootstrap, keys, masterKey } from '../../support/callers.ts'
import { spanMs, tokenAt } from './corpus.ts'

const [folder = '', size = ''] = process.argv.slice(2)
const count = Number(size)
// Ends a day ago, because a server's clock never goes back.
const startMs = Date.now() - spanMs - 24 * 3_600_000
let next = 0

const vault = createVault({
  storage: `level:${folder}/data`,
  masterKey: Buffer.from(masterKey, 'base64'),
  bootstrap,
  now: () => startMs + (next / count) * spanMs,
})
await vault.ready()
const beganMs = performance.now()
let rounds = 0

async function write(): Promise<void> {
  while (next < count) {
    const n = next++
    const response = await vault.fetch('http://vault/tokens', {
      method: 'POST',
      headers: { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' },
      body: JSON.stringify(tokenAt(n, count)),
    })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`creating token ${n}: status ${response.status}: ${text}`)
    if (++rounds % 100_000 === 0) process.stderr.write(`${rounds} tokens\n`)
  }
}

await Promise.all(Array.from({ length: 64 }, write))
const seconds = (performance.now() - beganMs) / 1000
await vault.close()
process.stdout.write(`${JSON.stringify({ startMs, seconds })}\n`)
