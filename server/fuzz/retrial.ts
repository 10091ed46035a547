import type { FuzzCase } from './case.ts'
import { type Finding, sameness, shapeOf } from './finding.ts'
import type { Found } from './judge.ts'
import type { Session } from './session.ts'
import { slowness } from './slowness.ts'

/** What a second connection may be made to wait. */
export const longestStallMs = 250
/** A stall counts if its case alone shows it this many times out of as many: a pause of the machine does not. */
const stallRepeats = 3
/** Findings of one fault whose cases are tried again alone; the others are most likely the same. */
const mostRetried = 2

interface Wait {
  readonly ms: number
  /** On a machine of usual speed. */
  readonly countedMs: number
}

/** Tries cases with nothing beside them, each on a server that is in order. */
export class Retrial {
  readonly #open: () => Promise<Session>
  #session: Session | undefined

  constructor(open: () => Promise<Session>) {
    this.#open = open
  }

  /** Returns the stalls that one of the suspects causes by itself, one for each shape of case. */
  async confirmStalls(suspects: readonly FuzzCase[]): Promise<Finding[]> {
    const stalls = new Map<string, Finding>()
    for (const one of suspects) {
      const known = stalls.get(shapeOf(one))
      if (known) continue
      const waits = await this.#waits(one)
      if (waits.some(({ countedMs }) => countedMs <= longestStallMs)) continue
      const figures = waits.map(
        ({ ms, countedMs }) => `${ms.toFixed(0)} ms (counted as ${countedMs.toFixed(0)})`,
      )
      const what = `a small read beside it waited ${figures.join(', ')}`
      stalls.set(shapeOf(one), { fault: 'stall', one, alone: true, what })
    }
    return [...stalls.values()]
  }

  /** Says of each finding with a case whether that case alone shows it. */
  async retry(findings: readonly Finding[]): Promise<Finding[]> {
    const outcomes = new Map<Finding, boolean>()
    const retried = new Map<string, number>()
    for (const finding of findings) {
      const before = retried.get(sameness(finding)) ?? 0
      if (!finding.one || finding.alone !== undefined || before === mostRetried) continue
      retried.set(sameness(finding), before + 1)
      const { found, ended } = await this.#found(finding.one)
      const shows = found.some(({ fault }) => fault === finding.fault)
      outcomes.set(finding, shows || (finding.fault === 'server ended' && ended))
    }
    return findings.map(finding => {
      const alone = outcomes.get(finding)
      return alone === undefined ? finding : { ...finding, alone }
    })
  }

  async end(): Promise<void> {
    await this.#session?.end()
    this.#session = undefined
  }

  /** Tries a case until a read beside it is quick, or often enough; once if the server does not come back. */
  async #waits(one: FuzzCase): Promise<Wait[]> {
    const waits: Wait[] = []
    for (let round = 0; round < stallRepeats; round++) {
      const session = await this.#ready()
      const { stallMs } = await session.runAlone(one)
      const countedMs = stallMs / slowness()
      waits.push({ ms: stallMs, countedMs })
      if (countedMs <= longestStallMs || session.isOver) break
    }
    return waits
  }

  async #found(one: FuzzCase): Promise<{ readonly found: readonly Found[]; readonly ended: boolean }> {
    const session = await this.#ready()
    const { found } = await session.runAlone(one)
    return { found, ended: session.target.hasEnded() }
  }

  async #ready(): Promise<Session> {
    if (this.#session?.isOver) await this.end()
    this.#session ??= await this.#open()
    return this.#session
  }
}
