/**
 * One of the processes of `overhead.ts`: makes the same call again and again, and prints the microseconds of processor
 * time of one. Arguments: who calls, the operation, the URL of the server (or `none` for a `fetch` that responds at once).
 */
import { type Fetch, type FetchResponse, Surrogate } from '../dist/index.js'

const [caller, operation, url = 'none'] = process.argv.slice(2)
const isOverNetwork = url !== 'none'
const baseUrl = isOverNetwork ? url : 'http://127.0.0.1:1'
/**
 * In milliseconds. Shorter than the warm-up: a timeout by hand is never cleared, and an application that runs for longer
 * than its timeouts pays for each that comes due.
 */
const timeout = 500
const warmUp = 2000
const calls = isOverNetwork ? 4000 : 50_000

const apiKey = 'key_prv_of_the_benchmark'
const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

const text = async () => '{"id":"abc","type":"card","containers":["/pci/high/"]}'
const answer: FetchResponse = { status: 200, headers: { get: () => null }, text }
const send: Fetch = isOverNetwork ? (url, init) => fetch(url, init) : async () => answer

/** The requests as an application would write them without a client, each with a timeout. */
const headers = { 'SVC-API-KEY': apiKey, 'Content-Type': 'application/json' }
const byHand = {
  get: async () => {
    const signal = AbortSignal.timeout(timeout)
    const init = { method: 'GET', headers, redirect: 'manual', signal } as const
    return JSON.parse(await (await send(`${baseUrl}/tokens/abc`, init)).text())
  },
  create: async () => {
    const body = JSON.stringify({ type: 'card', data })
    const key = { ...headers, 'SVC-IDEMPOTENCY-KEY': crypto.randomUUID() }
    const signal = AbortSignal.timeout(timeout)
    const init = { method: 'POST', headers: key, body, redirect: 'manual', signal } as const
    return JSON.parse(await (await send(`${baseUrl}/tokens`, init)).text())
  },
}
const surrogate = new Surrogate({ apiKey, baseUrl, fetch: send, timeout })
const byClient = {
  get: () => surrogate.tokens.get('abc'),
  create: () => surrogate.tokens.create({ type: 'card', data }),
}

const call: () => Promise<unknown> = (caller === 'client' ? byClient : byHand)[
  operation === 'create' ? 'create' : 'get'
]
for (let made = 0; made < warmUp; made++) await call()
const start = process.cpuUsage()
for (let made = 0; made < calls; made++) await call()
const { user, system } = process.cpuUsage(start)
process.stdout.write(String((user + system) / calls))
// Timeouts of the last requests are still running.
process.exit()
