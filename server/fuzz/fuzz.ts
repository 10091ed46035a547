import type { FuzzCase } from './case.ts'
import { type Document, readDocument } from './document.ts'
import type { Finding } from './finding.ts'
import { generate } from './generate.ts'
import { Judge } from './judge.ts'
import { type Memory, mebibytes } from './memory.ts'
import { longestStallMs, Retrial } from './retrial.ts'
import { type Done, Session, suspectsOf } from './session.ts'
import { openSink } from './sink.ts'
import { Tally } from './tally.ts'
import type { TargetOptions } from './target.ts'
import type { WatchSummary } from './watch.ts'

export interface FuzzOptions {
  readonly seed: string
  /** Number of the first case. */
  readonly first?: number
  readonly count: number
  /** Cases between two resets of the server. */
  readonly round?: number
  readonly target?: Partial<TargetOptions>
  /** Is told what happens, a line at a time. */
  readonly say?: (line: string) => void
}

export interface Report {
  readonly seed: string
  readonly findings: readonly Finding[]
  readonly tally: Tally
  /** After each round, the server being empty again. */
  readonly memory: readonly Memory[]
  readonly watched: readonly WatchSummary[]
  /** Cases beside which a read was held up, and that alone do not show it. */
  readonly cleared: number
  readonly tookMs: number
}

const lanes = 12
/** The first round: what a server does once, at the first request of a kind, is done after it. */
const warmUp = 300
/** A server that has to be started anew this often is not worth more of our time. */
const mostServers = 6
/**
 * What may be there after a run beyond what was there after its first rounds: caches that fill slowly, and what the
 * collector leaves lying about. The system gets memory back late, so that only much of it says anything.
 */
const allowedGrowthBytes = { held: 24 * 2 ** 20, resident: 256 * 2 ** 20 }

/** Sends the cases of a seed to a server of its own and tells what it should not have done. */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  const startedMs = performance.now()
  const document = readDocument()
  const judge = new Judge(document)
  const sink = await openSink()
  const target: TargetOptions = { storage: 'memory:', dev: true, ...options.target }
  const open = (dev: boolean, connections: number) =>
    Session.start({ ...target, dev }, judge, sink.url, connections)
  const run = new Run(options, document, judge)
  // As an operator would start it: what only a development server does is nobody's stall.
  const [usual, alike] = [new Retrial(() => open(false, 1)), new Retrial(() => open(true, 1))]
  try {
    for (let servers = 0; servers < mostServers && !run.isDone; servers++) {
      const session = await open(true, lanes)
      await run.on(session).finally(() => session.end())
    }
    const suspects = [...run.suspects.values()]
    if (suspects.length > 0)
      options.say?.(`reads were slow beside ${suspects.length} cases: trying each alone`)
    const stalls = await usual.confirmStalls(suspects)
    const findings = [...withoutBystanders(await alike.retry(run.findings)), ...run.tally.faults(), ...stalls]
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
    sink.close()
  }
}

/** The way through the cases, on as many servers one after the other as it takes. */
class Run {
  readonly findings: Finding[] = []
  readonly suspects = new Map<number, FuzzCase>()
  readonly tally: Tally
  readonly watched: WatchSummary[] = []
  /** Of the last server. */
  memory: Memory[] = []
  readonly #options: Required<Omit<FuzzOptions, 'target'>>
  readonly #document: Document
  readonly #judge: Judge
  #next: number

  constructor(
    { seed, first = 0, count, round, say = () => {} }: FuzzOptions,
    document: Document,
    judge: Judge,
  ) {
    this.#options = {
      seed,
      first,
      count,
      round: round ?? Math.min(2_000, Math.max(200, Math.ceil(count / 5))),
      say,
    }
    this.#document = document
    this.#judge = judge
    this.#next = first
    this.tally = new Tally(document)
  }

  get isDone(): boolean {
    return this.#next >= this.#end
  }

  get #end(): number {
    return this.#options.first + this.#options.count
  }

  /** Goes on until all cases are sent or the server gives up. */
  async on(session: Session): Promise<void> {
    this.memory = []
    while (!this.isDone && !session.isOver) {
      const most = this.memory.length === 0 ? Math.min(warmUp, this.#options.round) : this.#options.round
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
      this.#tell()
    }
    await this.#close(session)
  }

  *#cases(first: number, count: number): Generator<FuzzCase> {
    for (let number = first; number < first + count; number++) {
      yield generate(this.#document, this.#options.seed, number)
    }
  }

  async #empty(session: Session): Promise<WatchSummary> {
    const summary = await session.watcher.summary()
    await session.reset()
    this.memory.push(await session.target.memory())
    return summary
  }

  #suspect(session: Session, done: readonly Done[]): void {
    const slow = session.watcher.slowReads().filter(({ netMs }) => netMs > longestStallMs)
    for (const one of slow.flatMap(read => suspectsOf(read, done))) this.suspects.set(one.number, one)
  }

  async #close(session: Session): Promise<void> {
    const { target, watcher } = session
    if (target.hasEnded()) {
      this.findings.push({
        fault: 'server ended',
        what: `${await target.ended}: ${target.said().slice(-2_000)}`,
      })
    } else if (!session.isOver) {
      this.findings.push(...watcher.failures.map(what => ({ fault: 'server error' as const, what })))
    }
    this.findings.push(...this.#judge.faultsOfLog(target.said()), ...grown(this.memory))
  }

  #tell(): void {
    const { first, count, say } = this.#options
    const [memory, watched] = [this.memory.at(-1), this.watched.at(-1)]
    say(
      [
        `${this.#next - first} of ${count}`,
        `reads beside them p99 ${watched?.p99Ms.toFixed(0)} ms, slowest ${watched?.maxMs.toFixed(0)} ms`,
        `${mebibytes(memory?.heldBytes)} MiB held, ${mebibytes(memory?.residentBytes)} MiB resident`,
        `${this.findings.length} findings`,
      ].join('; '),
    )
  }
}

/** Compares what the server holds when it is empty with what it held after the first rounds. */
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
  return [
    { fault: 'memory', what: `MiB held of MiB resident, the server being empty: ${figures.join(', ')}` },
  ]
}

/** A server that is busy or gone answers no one: who made it so shows it alone, and only that one is to blame. */
function withoutBystanders(findings: readonly Finding[]): Finding[] {
  const isUnanswered = ({ fault }: Finding) => fault === 'no response'
  const isKnown = findings.some(finding => isUnanswered(finding) && finding.alone === true)
  return isKnown
    ? findings.filter(finding => !isUnanswered(finding) || finding.alone === true)
    : [...findings]
}
