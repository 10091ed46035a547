/**
 * `npm run bench:sdk`: processor time of a call of the client beside the same request by `fetch`, in one process, in
 * alternating blocks. The server is a program of a few lines in another process, so that only callers are measured.
 *
 * Each block ends with a collection of its own garbage: otherwise a block would pay for what the one before it left,
 * which is more than what is measured here.
 *
 * Measured twice: with the `fetch` of the runtime, and with one that responds at once, where nothing is left but the work
 * of the client beside the least that an application would do itself.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Fetch, type FetchResponse, Surrogate } from '../dist/index.js'

const program = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{"id":"abc","type":"card","containers":["/pci/high/"]}'))
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

const calls = 50
const rounds = 120

setFlagsFromString('--expose-gc')
const collectGarbage: (options: { type: 'minor' }) => void = runInNewContext('gc')

const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
const [port] = await once(server.stdout, 'data')
const baseUrl = `http://127.0.0.1:${String(port).trim()}`
const apiKey = 'key_prv_of_the_benchmark'
const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

/** The request as an application would write it without a client, with the same headers and timeout. */
const headers = { 'SVC-API-KEY': apiKey, 'Content-Type': 'application/json' }
const byHand = (fetch: Fetch) => ({
  get: async () => {
    const signal = AbortSignal.timeout(60_000)
    const init = { method: 'GET', headers, redirect: 'manual', signal } as const
    return JSON.parse(await (await fetch(`${baseUrl}/tokens/abc`, init)).text())
  },
  create: async () => {
    const body = JSON.stringify({ type: 'card', data })
    const key = { ...headers, 'SVC-IDEMPOTENCY-KEY': crypto.randomUUID() }
    const signal = AbortSignal.timeout(60_000)
    const init = { method: 'POST', headers: key, body, redirect: 'manual', signal } as const
    return JSON.parse(await (await fetch(`${baseUrl}/tokens`, init)).text())
  },
})
function byClient(fetch: Fetch) {
  const surrogate = new Surrogate({ apiKey, baseUrl, fetch })
  return {
    get: () => surrogate.tokens.get('abc'),
    create: () => surrogate.tokens.create({ type: 'card', data }),
  }
}
const text = async () => '{"id":"abc","type":"card","containers":["/pci/high/"]}'
const answer: FetchResponse = { status: 200, headers: { get: () => null }, text }

/** Returns the microseconds of processor time of a call. */
async function cost(call: () => Promise<unknown>): Promise<number> {
  collectGarbage({ type: 'minor' })
  const start = process.cpuUsage()
  for (let index = 0; index < calls; index++) await call()
  collectGarbage({ type: 'minor' })
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

for (const [name, by] of [
  ['over the network', (url, init) => fetch(url, init)],
  ['of its own', async () => answer],
] as [string, Fetch][]) {
  for (const operation of ['get', 'create'] as const) {
    const rivals = [byHand(by)[operation], byClient(by)[operation]] as const
    const hand: number[] = []
    const client: number[] = []
    for (let round = -30; round < rounds; round++) {
      // Who is first alternates. The first rounds warm up.
      const early = round % 2 ? undefined : await cost(rivals[1])
      const one = await cost(rivals[0])
      const other = early ?? (await cost(rivals[1]))
      if (round < 0) continue
      hand.push(one)
      client.push(other)
    }
    const ratio = median(client.map((value, index) => value / (hand[index] ?? Number.NaN)))
    process.stdout.write(
      `tokens.${operation} ${name}: by hand ${median(hand).toFixed(1)} µs, client ${median(client).toFixed(1)} µs of ` +
        `processor time, median ratio ${ratio.toFixed(3)}\n`,
    )
  }
}
server.kill()
