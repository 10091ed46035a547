import { LRUCache } from 'lru-cache'
import { lruOptions } from '../base/cache.ts'
import type { ConsoleLine } from '../sandbox/sandbox.ts'

const mostReactors = 100
const mostLines = 100
const mostCharacters = 2000

/** A line that a formula printed, with its time in ISO 8601. */
export interface PrintedLine extends ConsoleLine {
  readonly at: string
}

/**
 * Keeps the last lines that the formula of each reactor printed, in memory only. Printed lines may contain data: they are
 * shown to the reactor's owner and never logged.
 */
export class FormulaConsole {
  readonly #printed: (tenant: string, reactor: string, line: PrintedLine) => void
  readonly #lines = new LRUCache<string, PrintedLine[]>(lruOptions(mostReactors))

  /** @param printed is called with each line */
  constructor(printed: (tenant: string, reactor: string, line: PrintedLine) => void = () => {}) {
    this.#printed = printed
  }

  print(tenant: string, reactor: string, line: ConsoleLine, nowMs: number): void {
    const key = `${tenant} ${reactor}`
    const lines = this.#lines.get(key) ?? []
    const text = line.text.slice(0, mostCharacters)
    const printed = { at: new Date(nowMs).toISOString(), level: line.level, text }
    lines.push(printed)
    if (lines.length > mostLines) lines.shift()
    this.#lines.set(key, lines)
    this.#printed(tenant, reactor, printed)
  }

  /** Oldest first. */
  read(tenant: string, reactor: string): readonly PrintedLine[] {
    return this.#lines.get(`${tenant} ${reactor}`) ?? []
  }

  /** Returns the lines of all reactors of a tenant, by the reactor's id. */
  readAll(tenant: string): ReadonlyMap<string, readonly PrintedLine[]> {
    const own = [...this.#lines].filter(([key]) => key.startsWith(`${tenant} `))
    return new Map(own.map(([key, lines]) => [key.slice(tenant.length + 1), lines]))
  }

  clear(): void {
    this.#lines.clear()
  }
}

export interface PrintedText {
  readonly level: string
  readonly text: string
}

/** As the contract says. */
const mostOfRun = 100
const mostCharactersOfRun = 16_000

/** The first lines that one run of a formula printed, up to a number and a length. */
export class Printed {
  readonly lines: PrintedText[] = []
  #left = mostCharactersOfRun

  add({ level, text }: ConsoleLine): void {
    if (this.lines.length >= mostOfRun || this.#left <= 0) return
    const shown = text.slice(0, this.#left)
    this.lines.push({ level, text: shown })
    this.#left -= shown.length
  }
}
