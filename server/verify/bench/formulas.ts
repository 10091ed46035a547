/**
 * `npm run bench -- formulas`: a round trip through the sandbox beside one to a child process that echoes a message, the
 * first invocation of a tenant, and invocations over HTTP. Compare the ratios, because times depend on the machine.
 *
 *     --seconds S   duration of each part (2)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSandbox } from '../../src/sandbox/create.ts'
import type { Invocation } from '../../src/sandbox/sandbox.ts'
import { keys } from '../support/callers.ts'
import { cardNumber } from '../support/cards.ts'
import { type Measured, median, ms, printMeasured, say, summarize } from './figures.ts'
import { load } from './load.ts'
import { startServer, workFolder } from './servers.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } })
const seconds = Number(values.seconds)
const tenants = 8
/** The most tokens of one invocation. */
const tokens = 100

const formula: Omit<Invocation, 'tenant'> = {
  code: 'module.exports = async req => ({ raw: { last4: req.args.card.number.slice(-4) } })',
  args: { card: { number: '4242424242424242' } },
  configuration: {},
  svc: null,
  timeoutMs: 60_000,
  lane: 'sync',
  depth: 0,
}

/** Does work again and again in this process, at once in each lane. */
async function measure(
  work: (n: number) => Promise<unknown>,
  lanes = availableParallelism(),
): Promise<Measured> {
  const taken: number[] = []
  const startMs = performance.now()
  let begun = 0
  const lane = async () => {
    while (performance.now() < startMs + seconds * 1000) {
      const beganMs = performance.now()
      await work(begun++)
      taken.push(performance.now() - beganMs)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return summarize(taken, (performance.now() - startMs) / 1000)
}

/** Starts a process that echoes messages: the minimum cost of a response from another process. */
function startEcho() {
  const echo = 'process.on("message", message => process.send(message))'
  const child = spawn(process.execPath, ['-e', echo], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ask = () => {
    const answer = once(child, 'message')
    child.send({ args: formula.args })
    return answer
  }
  return { child, ask }
}

async function measureSandbox(): Promise<void> {
  const echo = startEcho()
  const sandbox = createSandbox({})
  try {
    const begunMs = performance.now()
    await sandbox.warm()
    say(`first process ready after ${ms(performance.now() - begunMs)} ms`)
    const run = async (tenant: string, given: Partial<Invocation> = {}) => {
      const outcome = await sandbox.run({ ...formula, tenant, ...given })
      if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome))
    }
    const ofTenant = (n: number) => run(`tenant-${n}`)
    const first: number[] = []
    for (let n = 0; n < tenants; n++) {
      const beganMs = performance.now()
      await ofTenant(n)
      first.push(performance.now() - beganMs)
      // The usual situation of a new tenant: spare processes are ready.
      await wait(300)
    }
    say(`first invocation of a tenant: p50 ${ms(median(first))} ms, worst ${ms(Math.max(...first))} ms`)
    await echo.ask()
    const bare = await measure(echo.ask, 1)
    printMeasured('echo of a bare process', bare)
    const one = await measure(() => run('tenant-0'), 1)
    printMeasured('formula, one at a time', one)
    printMeasured('formula, one tenant', await measure(() => run('tenant-0')))
    printMeasured('formula, tenants in turn', await measure(n => ofTenant(n % 2)))
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }
    const code = `module.exports = async req => ({ raw: await req.svc.tokens.get('a') })`
    const asking = { code, svc: async () => answer }
    printMeasured('formula that calls svc once', await measure(() => run('tenant-0', asking)))
    say(`a formula takes ${(one.p50 / bare.p50).toFixed(1)} × an echo`)
  } finally {
    echo.child.kill()
    await sandbox.close()
  }
}

/** Measures invocations over HTTP: without tokens, with one, and with the maximum. */
async function measureHttp(folder: string): Promise<void> {
  const server = await startServer(folder)
  const make = async (key: string, path: string, body: object): Promise<string> => {
    const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: status ${response.status}: ${await response.text()}`)
    return ((await response.json()) as { id: string }).id
  }
  try {
    const code = 'module.exports = async req => ({ raw: { seen: JSON.stringify(req.args).length } })'
    const id = await make(keys.management, '/reactor-formulas', { name: 'Bench', type: 'private', code })
    const reactor = { name: 'Bench', configuration: {}, formula: { id } }
    const path = `/reactors/${await make(keys.management, '/reactors', reactor)}/react`
    const cards: string[] = []
    for (let n = 0; n < tokens; n++) {
      const card = { type: 'card', data: { number: cardNumber(n) } }
      cards.push(`{{ ${await make(keys.private, '/tokens', card)} }}`)
    }
    const rows: readonly [name: string, args: object, clients: number][] = [
      ['over HTTP, no token', { amount: 1 }, 16],
      ['over HTTP, one card', { card: cards[0] }, 16],
      [`over HTTP, ${tokens} cards`, { cards }, 16],
      ['over HTTP, one card, one client', { card: cards[0] }, 1],
    ]
    for (const [name, args, connections] of rows) {
      const request = { method: 'POST', path, body: JSON.stringify({ args }) } as const
      const job = { urls: [server.url], keys: [keys.private], connections, request: () => request }
      await load({ ...job, requests: 200 })
      printMeasured(name, await load({ ...job, seconds }))
    }
  } finally {
    await server.end()
  }
}

await measureSandbox()
await measureHttp(workFolder('formulas'))
