/** The siege itself: see `siege.ts`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connectionLimits } from '../../src/base/limits.ts'
import { quantile, say } from '../bench/figures.ts'
import { keys } from '../support/callers.ts'
import { hostilePeers, openPeer } from '../support/hostile-peers.ts'
import { loader, locateProgram } from '../support/process.ts'
import { callOver, makeReactorOver } from '../support/started-replicas.ts'
import { attacks, type Victim } from './attacks.ts'
import { mebibytes, startTarget } from './target.ts'
import type { WatchJob, WatchMessage } from './watch.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, only: { type: 'string' } },
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
const most = { waitMs: 250, grownMiB: mostBytes / 2 ** 20 }

const teardowns: (() => unknown)[] = []
const peers = await Promise.all(
  hostilePeers
    .filter(({ scheme }) => scheme === undefined)
    .map(peer => openPeer({ teardown: task => teardowns.push(task) }, peer)),
)
const origins = peers.map(({ origin }) => origin)
/** Names under which formulas and `/proxy` reach the peers. */
const targets = origins.map((_, n) => `https://peer-${n}.example`)
const mapped = targets.map((name, n) => `${name}=${origins[n]}`).join(',')
/** A port of its own has its own queue of connections, so that probes do not wait with everybody else. */
const probed = await freePort()
const target = await startTarget([], {
  SURROGATE_PROXY_MAP_ORIGIN: mapped,
  SURROGATE_FORMULA_MAP_ORIGIN: mapped,
  SURROGATE_METRICS_PORT: String(probed),
})
const url = `http://127.0.0.1:${target.port}`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function createToken(key: string, token: object): Promise<string> {
  const { status, json } = await callOver(url, key, 'POST', '/tokens', token)
  if (status !== 201) throw new Error(JSON.stringify(json))
  return json.id
}

async function prepare(): Promise<Victim> {
  const large: string[] = []
  for (let n = 0; n < 8; n++)
    large.push(await createToken(keys.private, { type: 'token', data: 'x'.repeat(1_000_000) }))
  const card = { type: 'card', data: { number: '4242424242424242' } }
  for (let n = 0; n < 300; n++) await createToken(keys.private, card)
  await createToken(keys.other, { ...card, id: 'honest' })
  const reactor = (body: string) =>
    makeReactorOver(url, keys.management, `module.exports = async ({ args }) => ${body}`)
  return {
    port: target.port,
    keys,
    large,
    peers: { callbacks: origins, targets },
    reactors: {
      endless: await reactor('{ for (;;) {} }'),
      answering: await reactor('({ raw: 1 })'),
      fetching: await reactor('({ raw: (await fetch(args.url)).status })'),
    },
  }
}

/** The watching process, as seen by the process that started it. */
interface Watcher {
  /** Returns failures of the reads themselves. */
  readonly failures: readonly string[]
  /** Resolves with the times of the reads since the last call, and of the current one, sorted. */
  times(): Promise<readonly number[]>
  end(): Promise<void>
}

function startWatcher(job: WatchJob): Watcher {
  const child = fork(fileURLToPath(locateProgram('server/verify/soak/watch.ts')), { execArgv: [...loader] })
  const failures: string[] = []
  let onTimes = (_: readonly number[]) => {}
  child.on('message', (message: WatchMessage) => {
    if ('takenMs' in message) onTimes(message.takenMs)
    else failures.push(message.failed)
  })
  const ended = once(child, 'exit')
  child.send(job)
  return {
    failures,
    times: () =>
      new Promise((resolve, reject) => {
        onTimes = resolve
        void ended.then(() => reject(new Error('the watching process ended')))
        child.send('times')
      }),
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Returns the resident memory of the server itself, without the processes of formulas. */
function residentBytes(): number {
  return Number(readFileSync(`/proc/${target.pid}/statm`, 'latin1').split(' ')[1]) * 4096
}

const findings: string[] = []
try {
  const victim = await prepare()
  const watched = { port: target.port, pid: target.pid }
  const reads = startWatcher({ ...watched, path: '/tokens/honest', key: keys.other })
  const probes = startWatcher({ ...watched, port: probed, path: '/livez', key: '', opensAgain: true })
  // The port that everybody reaches: probes get in there too, but wait with everybody else to be accepted.
  const publicProbes = startWatcher({ ...watched, path: '/livez', key: '', opensAgain: true })
  const watchers = [reads, probes, publicProbes]
  for (const watcher of watchers) teardowns.push(() => watcher.end())
  await wait(2_000)
  await Promise.all(watchers.map(watcher => watcher.times()))
  const idle = (await target.memory()).residentBytes
  const attackers = fork(fileURLToPath(locateProgram('server/verify/soak/attackers.ts')), {
    execArgv: [...loader],
  })
  teardowns.push(() => attackers.kill('SIGKILL'))
  attackers.send({ victim, names })
  const endMs = performance.now() + minutes * 60_000
  const intervalMs = Math.min(60_000, (minutes * 60_000) / 6)
  let peak = 0
  const sampling = setInterval(() => {
    if (!target.hasEnded()) peak = Math.max(peak, residentBytes())
  }, 100)
  teardowns.push(() => clearInterval(sampling))
  say('seconds  reads  p50, ms  p99, ms  longest, ms  probes  longest, ms  public  longest, ms  grown, MB')
  while (performance.now() < endMs && !target.hasEnded()) {
    await wait(intervalMs)
    if (target.hasEnded()) break
    const [read = [], probe = [], other = []] = await Promise.all(watchers.map(watcher => watcher.times()))
    const [readMaxMs = 0, probeMaxMs = 0, otherMaxMs = 0] = [read, probe, other].map(times => times.at(-1))
    const columns: readonly (readonly [text: string, width: number])[] = [
      [((minutes * 60_000 - endMs + performance.now()) / 1000).toFixed(0), 7],
      [String(read.length), 7],
      [quantile(read, 0.5).toFixed(1), 9],
      [quantile(read, 0.99).toFixed(1), 9],
      [readMaxMs.toFixed(0), 13],
      [String(probe.length), 8],
      [probeMaxMs.toFixed(0), 13],
      [String(other.length), 8],
      [otherMaxMs.toFixed(0), 13],
      [mebibytes(peak - idle), 11],
    ]
    say(columns.map(([text, width]) => text.padStart(width)).join(''))
    if (readMaxMs > most.waitMs) findings.push(`a read of another tenant waited ${readMaxMs.toFixed(0)} ms`)
    if (probeMaxMs > most.waitMs) findings.push(`a probe waited ${probeMaxMs.toFixed(0)} ms`)
    if (read.length === 0) findings.push('another tenant was not served')
    if (probe.length === 0 || other.length === 0) findings.push('no probe was answered')
  }
  if (target.hasEnded()) findings.push(await target.ended)
  else if (peak - idle > most.grownMiB * 2 ** 20) findings.push(`memory grew by ${mebibytes(peak - idle)} MB`)
  for (const { failures } of watchers) findings.push(...failures)
} finally {
  for (const task of teardowns.reverse()) await task()
  await target.end()
}
for (const finding of new Set(findings)) say(`FOUND: ${finding}`)
say(findings.length === 0 ? 'nobody else noticed' : `${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
