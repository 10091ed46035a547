/**
 * Measures the cost of formulas: a round trip through the sandbox compared with one to a child process that echoes a
 * message, the first invocation of a tenant, and invocations over HTTP. Prints ratios, because times depend on the
 * machine. `SURROGATE_BENCH_SECONDS` sets the duration of each part.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createSandbox } from '../src/sandbox/create.ts'
import type { Invocation } from '../src/sandbox/sandbox.ts'
import { line, measure, quantile, say } from './measure.ts'
import { reactOverHttp } from './reactions.ts'

const tenants = 8
const lanes = availableParallelism()

/** Starts a process that echoes messages: the minimum cost of a response from another process. */
function startEcho(): { readonly child: ChildProcess; ask(): Promise<void> } {
  const echo = 'process.on("message", message => process.send(message))'
  const child = spawn(process.execPath, ['-e', echo], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const waiting: (() => void)[] = []
  child.on('message', () => waiting.shift()?.())
  return {
    child,
    ask: () =>
      new Promise(resolve => {
        waiting.push(resolve)
        child.send({ args: { card: { number: '4242424242424242' } } })
      }),
  }
}

const formula: Omit<Invocation, 'tenant'> = {
  code: 'module.exports = async req => ({ raw: { last4: req.args.card.number.slice(-4) } })',
  args: { card: { number: '4242424242424242' } },
  configuration: {},
  svc: null,
  timeoutMs: 60_000,
  lane: 'sync',
  depth: 0,
}

/** Runs all parts, in about twenty seconds. */
export async function measureFormulas(): Promise<void> {
  const echoes = Array.from({ length: lanes }, startEcho)
  const sandbox = createSandbox({})
  try {
    const begun = performance.now()
    await sandbox.warm()
    say(`first process ready after ${(performance.now() - begun).toFixed(0)} ms`)

    const run = async (tenant: string, given: Partial<Invocation> = {}) => {
      const outcome = await sandbox.run({ ...formula, tenant, ...given })
      if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome))
    }
    const first: number[] = []
    for (let n = 0; n < tenants; n++) {
      const start = performance.now()
      await run(`tenant-${n}`)
      first.push(performance.now() - start)
      // The usual situation of a new tenant: spares are ready.
      await new Promise(resolve => setTimeout(resolve, 300))
    }
    first.sort((a, b) => a - b)
    say(
      `first invocation of a tenant: p50 ${quantile(first, 0.5).toFixed(1)} ms, worst ${(first.at(-1) ?? 0).toFixed(1)} ms`,
    )

    let turn = 0
    for (const echo of echoes) await echo.ask()
    const echo = await measure(() => echoes[turn++ % lanes]?.ask() ?? Promise.resolve())
    line('echo of a bare process', echo)
    const one = await measure(() => run('tenant-0'))
    line('formula, one tenant', one)
    line('formula, tenants in turn', await measure(() => run(`tenant-${turn++ % 2}`)))
    const svc: Invocation['svc'] = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"a"}',
    })
    const asks = `module.exports = async req => ({ raw: await req.svc.tokens.get('a') })`
    line('formula that calls svc once', await measure(() => run('tenant-0', { code: asks, svc })))
    say(
      `a formula takes ${(one.p50 / echo.p50).toFixed(1)} × an echo, at ${((one.perSecond / echo.perSecond) * 100).toFixed(0)} % of its rate`,
    )

    const before = process.memoryUsage().rss
    await measure(() => run('tenant-0'), { most: 10_000 })
    const grown = (process.memoryUsage().rss - before) / 2 ** 20
    say(`host memory after 10,000 more: ${grown >= 0 ? '+' : ''}${grown.toFixed(1)} MiB`)
  } finally {
    for (const { child } of echoes) child.kill()
    await sandbox.close()
  }
  await reactOverHttp()
}
