import type { FuzzCase } from './case.ts'
import { type Finding, faultKey, shapeOf } from './finding.ts'
import type { Found } from './judge.ts'
import type { Session } from './session.ts'
import { slowness } from './slowness.ts'

/** The longest time that a read on a second connection may take. */
export const longestStallMs = 250
/** A stall counts only if its case alone reproduces it this many times in a row, unlike a pause of the machine. */
const stallRepeats = 3
/** Maximum of cases that are tried again alone for each fault. */
const mostRetried = 2

interface Wait {
  readonly ms: number
  /** Converted to a machine of usual speed. */
  readonly countedMs: number
}

/** Tries cases without concurrent ones, each on a working server. */
export class Retrial {
  readonly #open: () => Promise<Session>
  #session: Session | undefined

  constructor(open: () => Promise<Session>) {
    this.#open = open
  }

  /** Returns the stalls that suspects cause alone, one for each shape of case. */
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
      const what = `a small concurrent read took ${figures.join(', ')}`
      stalls.set(shapeOf(one), { fault: 'stall', one, alone: true, what })
    }
    return [...stalls.values()]
  }

  /** Returns the findings, each with the result of trying its case alone. */
  async retry(findings: readonly Finding[]): Promise<Finding[]> {
    const outcomes = new Map<Finding, boolean>()
    const retried = new Map<string, number>()
    for (const finding of findings) {
      const before = retried.get(faultKey(finding)) ?? 0
      if (!finding.one || finding.alone !== undefined || before === mostRetried) continue
      retried.set(faultKey(finding), before + 1)
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

  /** Tries a case until a concurrent read is fast, or the maximum is reached; once if the server does not recover. */
  async #waits(one: FuzzCase): Promise<Wait[]> {
    const waits: Wait[] = []
    for (let round = 0; round < stallRepeats; round++) {
      const session = await this.#ready()
      const { stallMs } = await session.runAlone(one)
      // To measure it takes long.
      const countedMs = stallMs <= longestStallMs ? stallMs : stallMs / slowness()
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
