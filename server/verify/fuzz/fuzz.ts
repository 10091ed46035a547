import type { FuzzCase, Kind } from './case.ts'
import { type Document, readDocument } from './document.ts'
import type { Finding } from './finding.ts'
import { Generator } from './generate.ts'
import { Judge } from './judge.ts'
import { type Memory, mebibytes } from './memory.ts'
import { Peers } from './peers.ts'
import { longestStallMs, Retrial } from './retrial.ts'
import { type Done, Session, suspectsOf } from './session.ts'
import { Tally } from './tally.ts'
import type { TargetOptions } from './target.ts'
import type { WatchSummary } from './watch.ts'

export interface FuzzOptions {
  readonly seed: string
  /** The number of the first case. */
  readonly first?: number
  readonly count: number
  /** Cases between two resets of the server. */
  readonly round?: number
  readonly target?: Partial<TargetOptions>
  /** Another kind of case than the ones that are drawn. */
  readonly kind?: Kind | undefined
  /** A few cases, instead of those of the seed. They are not tried again, and no stalls are looked for. */
  readonly cases?: readonly FuzzCase[]
  /** The longest time until something that should happen at once. */
  readonly patienceMs?: number
  /** Receives progress messages. */
  readonly say?: (line: string) => void
}

export interface Report {
  readonly seed: string
  readonly findings: readonly Finding[]
  readonly tally: Tally
  /** The memory of the empty server after each round. */
  readonly memory: readonly Memory[]
  readonly watched: readonly WatchSummary[]
  /** The number of suspects of a stall that did not cause one when sent alone. */
  readonly cleared: number
  readonly tookMs: number
}

const lanes = 12
/** The size of the first round, in which the server does its one-time work. */
const warmUp = 300
/** The fuzz ends after this many restarts of the server. */
const mostServers = 6
/**
 * Allowed growth of memory after the first rounds, for caches that fill slowly and for garbage. Resident memory is
 * returned to the system late, so only large growth is significant.
 */
const allowedGrowthBytes = { held: 24 * 2 ** 20, resident: 256 * 2 ** 20 }

/** Starts a server, sends it the cases of a seed, and returns its faults. */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  const startedMs = performance.now()
  const document = readDocument()
  const judge = new Judge(document)
  const peers = await Peers.open()
  const around = { document, judge, peers, patienceMs: options.patienceMs ?? 15_000 }
  const open = (dev: boolean, connections: number) =>
    Session.start({ storage: 'memory:', ...options.target, dev }, around, connections)
  const run = new Run(options, document, judge)
  // Without --dev, since stalls that only happen in development do not count.
  const [usual, alike] = [new Retrial(() => open(false, 1)), new Retrial(() => open(true, 1))]
  try {
    for (let servers = 0; servers < mostServers && !run.isDone; servers++) {
      const session = await open(true, lanes)
      await run.on(session).finally(() => session.end())
    }
    const suspects = options.cases ? [] : [...run.suspects.values()]
    if (suspects.length > 0)
      options.say?.(`reads were slow during ${suspects.length} cases: trying each alone`)
    const stalls = await usual.confirmStalls(suspects)
    const findings = [
      ...withoutSideEffects(options.cases ? run.findings : await alike.retry(run.findings)),
      ...run.tally.faults(),
      ...stalls,
    ]
    const cleared = suspects.length - stalls.length
    const { tally, memory, watched } = run
    return {
      seed: options.seed,
      findings,
      tally,
      memory,
      watched,
      cleared,
      tookMs: performance.now() - startedMs,
    }
  } finally {
    await Promise.all([usual.end(), alike.end()])
    peers.close()
  }
}

/** Sends all cases, on several servers in turn if necessary. */
class Run {
  readonly findings: Finding[] = []
  readonly suspects = new Map<number, FuzzCase>()
  readonly tally: Tally
  readonly watched: WatchSummary[] = []
  /** The memory of the last server. */
  memory: Memory[] = []
  readonly #options: FuzzOptions
  readonly #round: number
  readonly #generator: Generator
  readonly #judge: Judge
  readonly #first: number
  #next: number

  constructor(options: FuzzOptions, document: Document, judge: Judge) {
    this.#options = options
    this.#round = options.round ?? Math.min(2_000, Math.max(200, Math.ceil(options.count / 5)))
    this.#generator = new Generator(document)
    this.#judge = judge
    this.#first = options.first ?? 0
    this.#next = this.#first
    this.tally = new Tally(document)
  }

  get isDone(): boolean {
    return this.#next >= this.#end
  }

  get #end(): number {
    return this.#first + this.#options.count
  }

  /** Continues until all cases are sent or the server fails. */
  async on(session: Session): Promise<void> {
    this.memory = []
    while (!this.isDone && !session.isOver) {
      const most = this.memory.length === 0 ? Math.min(warmUp, this.#round) : this.#round
      const count = Math.min(most, this.#end - this.#next)
      const done = await session.run(this.#cases(this.#next, count))
      this.#next += done.length
      for (const { one, performed } of done) {
        this.tally.add(one, performed.status)
        this.findings.push(...performed.found.map(found => ({ ...found, one })))
      }
      if (session.isOver) break
      this.watched.push(await this.#empty(session))
      this.#suspect(session, done)
      this.#reportProgress()
    }
    await this.#close(session)
  }

  *#cases(first: number, count: number): Iterable<FuzzCase> {
    const { seed, kind, cases } = this.#options
    if (cases) return yield* cases
    for (let number = first; number < first + count; number++)
      yield this.#generator.generate(seed, number, kind)
  }

  async #empty(session: Session): Promise<WatchSummary> {
    const summary = await session.watcher.summary()
    await session.reset()
    this.memory.push(await session.target.memory())
    return summary
  }

  #suspect(session: Session, done: readonly Done[]): void {
    const slow = session.watcher.slowReads().filter(({ netMs }) => netMs > longestStallMs)
    const suspects = slow.flatMap(read => suspectsOf(read, done))
    // To measure the memory that unread responses take, garbage is collected, for which reads wait.
    for (const one of suspects) if (one.kind !== 'unread') this.suspects.set(one.number, one)
  }

  async #close(session: Session): Promise<void> {
    const { target, watcher } = session
    if (target.hasEnded()) {
      this.findings.push({
        fault: 'server ended',
        what: `${await target.ended}: ${target.stderr().slice(-2_000)}`,
      })
    } else if (!session.isOver) {
      this.findings.push(...watcher.failures.map(what => ({ fault: 'server error' as const, what })))
    }
    this.findings.push(...this.#judge.faultsOfLog(target.stderr()), ...grown(this.memory))
  }

  #reportProgress(): void {
    const { count, say = () => {} } = this.#options
    const [memory, watched] = [this.memory.at(-1), this.watched.at(-1)]
    say(
      [
        `${this.#next - this.#first} of ${count}`,
        `concurrent reads p99 ${watched?.p99Ms.toFixed(0)} ms, slowest ${watched?.maxMs.toFixed(0)} ms`,
        `${mebibytes(memory?.heldBytes)} MiB held, ${mebibytes(memory?.residentBytes)} MiB resident`,
        `${this.findings.length} findings`,
      ].join('; '),
    )
  }
}

/** Compares the memory of the empty server with its memory after the first rounds. */
function grown(memory: readonly Memory[]): Finding[] {
  const base = memory[Math.min(1, memory.length - 2)]
  const last = memory.at(-1)
  if (!base || !last) return []
  const held = last.heldBytes - base.heldBytes > allowedGrowthBytes.held
  const resident = last.residentBytes - base.residentBytes > allowedGrowthBytes.resident
  if (!held && !resident) return []
  const figures = memory.map(
    ({ heldBytes, residentBytes }) => `${mebibytes(heldBytes)} of ${mebibytes(residentBytes)}`,
  )
  return [{ fault: 'memory', what: `MiB held of MiB resident in the empty server: ${figures.join(', ')}` }]
}

/** A busy or ended server fails all concurrent cases: keeps only findings that their case alone reproduces. */
function withoutSideEffects(findings: readonly Finding[]): Finding[] {
  const isUnanswered = ({ fault }: Finding) => fault === 'no response'
  const isKnown = findings.some(finding => isUnanswered(finding) && finding.alone === true)
  return isKnown
    ? findings.filter(finding => !isUnanswered(finding) || finding.alone === true)
    : [...findings]
}
