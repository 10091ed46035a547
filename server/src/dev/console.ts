import { LRUCache } from 'lru-cache'
import { tenantStore } from '../access/tenant-settings.ts'
import { lruOptions } from '../base/cache.ts'
import { existingReactor, type ReactorRecord } from '../reactors/reactor.ts'
import type { ConsoleLine, PrintedText } from '../sandbox/sandbox.ts'
import type { Records } from '../storage/records/records.ts'

const mostReactors = 100
const mostLines = 100
const mostCharacters = 2000

/** A line that a formula printed, with its time in ISO 8601. */
interface PrintedLine extends ConsoleLine {
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

interface Consoles {
  readonly console: FormulaConsole
  readonly records: Records
}

/** Returns the last lines that a reactor's formula printed. @throws {ServiceError} not_found */
export async function readPrinted(
  { console, records }: Consoles,
  tenant: string,
  reactor: string,
): Promise<readonly PrintedLine[]> {
  const { value } = await existingReactor(await tenantStore(records, tenant), reactor)
  return console.read(tenant, value.id)
}

/** As the contract says. */
const mostShown = 1000
const mostShownCharacters = 500_000

/** Returns the last lines that the formulas of a tenant's reactors printed, oldest first. */
export async function readAllPrinted({ console, records }: Consoles, tenant: string): Promise<NamedLine[]> {
  const printed = console.readAll(tenant)
  const store = await tenantStore(records, tenant)
  const reactors = await store.getMany<ReactorRecord>('reactor', [...printed.keys()])
  const lines = reactors.flatMap(record => {
    if (!record) return []
    const { id, name } = record.value
    return (printed.get(id) ?? []).map(line => ({ ...line, reactor_id: id, reactor_name: name }))
  })
  const last = lines.sort((a, b) => a.at.localeCompare(b.at)).slice(-mostShown)
  let first = last.length
  for (let room = mostShownCharacters; first > 0; first--) {
    room -= last[first - 1]?.text.length ?? 0
    if (room < 0) break
  }
  return last.slice(first)
}

/** A line with the reactor whose formula printed it. */
type NamedLine = PrintedLine & { readonly reactor_id: string; readonly reactor_name: string }
