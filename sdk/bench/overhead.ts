/**
 * `npm run bench:sdk`: processor time of a call of the client beside the same request by `fetch`, in one process, in
 * alternating rounds. The server is a program of a few lines in another process, so that only callers are measured.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Surrogate } from '../src/index.ts'

const program = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{"id":"abc","type":"card","containers":["/pci/high/"]}'))
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

const calls = 200
const rounds = 11

const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
const [port] = await once(server.stdout, 'data')
const baseUrl = `http://127.0.0.1:${String(port).trim()}`
const apiKey = 'key_prv_of_the_benchmark'
const surrogate = new Surrogate({ apiKey, baseUrl })
const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

/** The request as an application would write it without a client, with the same headers and timeout. */
const headers = { 'SVC-API-KEY': apiKey, 'Content-Type': 'application/json' }
const byFetch = {
  get: async () =>
    (await fetch(`${baseUrl}/tokens/abc`, { headers, signal: AbortSignal.timeout(60_000) })).json(),
  create: async () => {
    const body = JSON.stringify({ type: 'card', data })
    const key = { ...headers, 'SVC-IDEMPOTENCY-KEY': crypto.randomUUID() }
    const signal = AbortSignal.timeout(60_000)
    return (await fetch(`${baseUrl}/tokens`, { method: 'POST', headers: key, body, signal })).json()
  },
}
const byClient = {
  get: () => surrogate.tokens.get('abc'),
  create: () => surrogate.tokens.create({ type: 'card', data }),
}

/** Returns the microseconds of processor time of a call. */
async function cost(call: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  for (let index = 0; index < calls; index++) await call()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

for (const operation of ['get', 'create'] as const) {
  const ratios: number[] = []
  const costs: [number, number][] = []
  for (let round = -3; round < rounds; round++) {
    const raw = await cost(byFetch[operation])
    const client = await cost(byClient[operation])
    // The first rounds warm up.
    if (round < 0) continue
    costs.push([raw, client])
    ratios.push(client / raw)
  }
  const [raw, client] = [median(costs.map(([raw]) => raw)), median(costs.map(([, client]) => client))]
  process.stdout.write(
    `tokens.${operation}: fetch ${raw.toFixed()} µs, client ${client.toFixed()} µs of processor time, ` +
      `median ratio ${median(ratios).toFixed(2)}\n`,
  )
}
server.kill()
