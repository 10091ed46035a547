/**
 * Fills a folder with tokens through the whole server, without a socket: 64 requests at a time, while its clock
 * advances by two years. Run by `run.ts` as a separate process.
 *
 *     build.ts FOLDER COUNT
 */
import { createVault } from '../../../src/vault.ts'
import { generate } from '../../load/generate.ts'
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
const { seconds } = await generate({
  senders: 64,
  requests: count,
  send: async n => {
    next = n
    const response = await vault.fetch('http://vault/tokens', {
      method: 'POST',
      headers: { 'SVC-API-KEY': keys.private, 'Content-Type': 'application/json' },
      body: JSON.stringify(tokenAt(n, count)),
    })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`creating token ${n}: status ${response.status}: ${text}`)
    if ((n + 1) % 100_000 === 0) process.stderr.write(`${n + 1} tokens\n`)
  },
  took: () => {},
})
await vault.close()
process.stdout.write(`${JSON.stringify({ startMs, seconds })}\n`)
