/** The siege itself: see `siege.ts`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connectionLimits } from '../../src/base/limits.ts'
import { quantile, say } from '../bench/figures.ts'
import { keys } from '../support/callers.ts'
import { freePort } from '../support/free-port.ts'
import { hostilePeers, openPeer } from '../support/hostile-peers.ts'
import { loader, locateProgram } from '../support/process.ts'
import { makeReactorOver, mustCallOver } from '../support/started-replicas.ts'
import { attacks, type Victim } from './attacks.ts'
import { mebibytes, startTarget } from './target.ts'
import type { WatchJob, WatchMessage } from './watch.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    only: { type: 'string' },
    each: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes must be a positive number')
const attackNames = Object.keys(attacks)
const names = values.only?.split(',') ?? attackNames
for (const name of names) {
  if (!attackNames.includes(name)) throw new Error(`--only: one or more of ${attackNames.join(', ')}`)
}

/** Approximate memory of a request without its response, in Node and in the server. */
const requestBytes = 14 * 1024
/** What bodies may take in total, and what each connection may hold beside them. */
const { bodiesBytes, connections, pieceBytes, pipelinedRequests } = connectionLimits
const mostBytes = bodiesBytes + connections * (2 * pieceBytes + pipelinedRequests * requestBytes)

/** Bounds of what others notice. Waits are those that the server caused, without time in which it had no processor. */
const most = { p99Ms: 300, probeMs: 100, grownMiB: mostBytes / 2 ** 20 }

const teardowns: (() => unknown)[] = []
const peers = await Promise.all(
  hostilePeers
    .filter(({ scheme }) => scheme === undefined)
    .map(peer => openPeer({ teardown: task => teardowns.push(task) }, peer)),
)
const origins = peers.map(({ origin }) => origin)
/** Names under which formulas and `/proxy` reach the peers. */
const targets = origins.map((_, n) => `https://peer-${n}.example`)
/** A target that sends 2 MB of JSON. */
const plenty = createHttpServer((request, response) => {
  request.resume()
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ number: n, text: 'x'.repeat(8) }))))
}).listen(0, '127.0.0.1')
await once(plenty, 'listening')
teardowns.push(
  () => plenty.closeAllConnections(),
  () => plenty.close(),
)
const mapped = [
  ...targets.map((name, n) => `${name}=${origins[n]}`),
  `https://plenty.example=http://127.0.0.1:${(plenty.address() as AddressInfo).port}`,
].join(',')
/** A port of its own has its own queue of connections, so that probes do not wait with everybody else. */
const probed = await freePort()
const target = await startTarget([], {
  SURROGATE_PROXY_MAP_ORIGIN: mapped,
  SURROGATE_FORMULA_MAP_ORIGIN: mapped,
  SURROGATE_METRICS_PORT: String(probed),
})
const url = `http://127.0.0.1:${target.port}`

async function createToken(key: string, token: object): Promise<string> {
  return (await mustCallOver(201, url, key, 'POST', '/tokens', token)).id
}

/** 1,900 steps of the 2,000 that an expression may take. */
const costlyMask = '{% for i in (1..370) %}{% assign x = i | plus: 1 %}{% endfor %}{{ x }}'

async function prepare(): Promise<Victim> {
  const large: string[] = []
  for (let n = 0; n < 8; n++)
    large.push(await createToken(keys.private, { type: 'token', data: 'x'.repeat(1_000_000) }))
  const card = { type: 'card', data: { number: '4242424242424242' } }
  for (let n = 0; n < 300; n++) await createToken(keys.private, card)
  for (let n = 0; n < 100; n++)
    await createToken(keys.public, { type: 'token', data: 'x', mask: costlyMask, containers: ['/costly/'] })
  await createToken(keys.other, { ...card, id: 'honest' })
  for (let n = 0; n < 19; n++) await createToken(keys.other, card)
  const reactor = (body: string) =>
    makeReactorOver(url, keys.management, `module.exports = async ({ args }) => ${body}`)
  const answering = await reactor('({ raw: 1 })')
  return {
    port: target.port,
    keys: { ...keys, session: await openSession() },
    large,
    costlyMask,
    peers: { callbacks: origins, targets, plenty: 'https://plenty.example' },
    reactors: {
      endless: await reactor('{ for (;;) {} }'),
      answering,
      answeringId: answering.split('/')[2] ?? '',
      fetching: await reactor('({ raw: (await fetch(args.url)).status })'),
    },
  }
}

/** Returns the key of a session that may list and detokenize. */
async function openSession(): Promise<string> {
  const { nonce, session_key } = await mustCallOver(201, url, keys.public, 'POST', '/sessions')
  const grant = { nonce, permissions: ['token:read', 'token:use'], expires_at: inADay() }
  await mustCallOver(200, url, keys.private, 'POST', '/sessions/authorize', grant)
  return session_key
}

const inADay = () => new Date(Date.now() + 86_000_000).toISOString()

const newToken = (data: string) => ({ type: 'token', data, expires_at: inADay() })

/** A request of another tenant. */
const other = (path: string, body?: object): WatchJob['requests'][string] => ({
  ...{ port: target.port, path, key: keys.other },
  ...(body && { method: 'POST', body }),
})

/**
 * What another tenant asks for meanwhile, and probes: of the port of the metrics, and of that which everybody reaches. All
 * attacks together open three times the connections that a server accepts. A new one beside them waits for seconds, or is
 * refused: that flood is the work of the reverse proxy.
 */
const watched: WatchJob['requests'] = {
  get: other('/tokens/honest'),
  create: other('/tokens', newToken('other')),
  list: other('/tokens'),
  search: other('/tokens/search', { query: 'type:card' }),
  tokenize: other('/tokenize', newToken('other')),
  probe: { port: probed, path: '/livez', key: '', opensAgain: true },
  ...(values.each !== undefined && {
    livez: { port: target.port, path: '/livez', key: '', opensAgain: true },
  }),
}

/** The watching process, as seen by the process that started it. */
interface Watcher {
  /** Returns failures of the requests themselves. */
  readonly failures: readonly string[]
  /** Resolves with the times since the last call, and of the current requests, sorted. */
  times(): Promise<Readonly<Record<string, readonly number[]>>>
}

/** Starts a program of this folder in a process of its own, with its job. */
function startProgram(name: string, job: object) {
  const program = fileURLToPath(locateProgram(`server/verify/soak/${name}.ts`))
  const child = fork(program, { execArgv: [...loader] })
  const ended = once(child, 'exit')
  child.send(job)
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  teardowns.push(end)
  return { child, ended, end }
}

function startWatcher(job: WatchJob): Watcher {
  const { child, ended } = startProgram('watch', job)
  const failures: string[] = []
  let onTimes = (_: Readonly<Record<string, readonly number[]>>) => {}
  child.on('message', (message: WatchMessage) => {
    if ('takenMs' in message) onTimes(message.takenMs)
    else failures.push(message.failed)
  })
  return {
    failures,
    times: () =>
      new Promise((resolve, reject) => {
        onTimes = resolve
        void ended.then(() => reject(new Error('the watching process ended')))
        child.send('times')
      }),
  }
}

/** Returns the resident memory of the server itself, without the processes of formulas. */
function residentBytes(): number {
  return Number(readFileSync(`/proc/${target.pid}/statm`, 'latin1').split(' ')[1]) * 4096
}

const findings: string[] = []
const watchedNames = Object.keys(watched)

/** Prints the 99th percentile and the longest time of each watched request, and notes those beyond the bounds. */
async function measure(title: string, watcher: Watcher): Promise<void> {
  const before = watcher.failures.length
  const taken = await watcher.times()
  const columns = watchedNames.map(name => {
    const times = taken[name] ?? []
    const p99 = quantile(times, 0.99)
    const bound = name === 'probe' || name === 'livez' ? most.probeMs : most.p99Ms
    if (p99 > bound) findings.push(`${title}: ${name} took ${p99.toFixed(0)} ms at the 99th percentile`)
    return `${p99.toFixed(0)}/${(times.at(-1) ?? 0).toFixed(0)}`.padStart(12)
  })
  say(title.padEnd(36) + columns.join('') + mebibytes(peak - idle).padStart(11))
  for (const failure of new Set(watcher.failures.slice(before))) findings.push(`${title}: ${failure}`)
}

let [peak, idle] = [0, 0]
try {
  const victim = await prepare()
  const watcher = startWatcher({ pid: target.pid, requests: watched })
  await wait(2_000)
  await watcher.times()
  idle = (await target.memory()).residentBytes
  const sampling = setInterval(() => {
    if (!target.hasEnded()) peak = Math.max(peak, residentBytes())
  }, 100)
  teardowns.push(() => clearInterval(sampling))
  say(''.padEnd(36) + watchedNames.map(name => name.padStart(12)).join('') + 'grown, MB'.padStart(11))
  say('99th percentile and longest, ms')
  if (values.each === undefined) {
    startProgram('attackers', { victim, names })
    const endMs = performance.now() + minutes * 60_000
    const intervalMs = Math.min(60_000, (minutes * 60_000) / 6)
    while (performance.now() < endMs && !target.hasEnded()) {
      await wait(intervalMs)
      if (target.hasEnded()) break
      await measure(`after ${((minutes * 60_000 - endMs + performance.now()) / 1000).toFixed(0)} s`, watcher)
    }
  } else {
    await wait(3_000)
    await measure('nothing', watcher)
    for (const name of names) {
      if (target.hasEnded()) break
      peak = 0
      const { end } = startProgram('attackers', { victim, names: [name] })
      await wait(2_000)
      await watcher.times()
      await wait(Number(values.each) * 1000)
      if (!target.hasEnded()) await measure(name, watcher)
      await end()
      // What the attackers have left is done before the next ones begin.
      await wait(2_000)
      if (!target.hasEnded()) await watcher.times()
    }
  }
  if (target.hasEnded()) findings.push(await target.ended)
  else if (peak - idle > most.grownMiB * 2 ** 20) findings.push(`memory grew by ${mebibytes(peak - idle)} MB`)
} finally {
  for (const task of teardowns.reverse()) await task()
  await target.end()
}
for (const finding of new Set(findings)) say(`FOUND: ${finding}`)
say(findings.length === 0 ? 'nobody else noticed' : `${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
