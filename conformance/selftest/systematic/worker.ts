import { parentPort, workerData } from 'node:worker_threads'
import type { Case } from '../../src/harness/case.ts'
import type { Fetch } from '../../src/harness/target.ts'
import type { Result } from '../../src/result.ts'
import { cases, run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'
import { mutantSwitch, takeReached } from './switch.ts'
import { wireMutants } from './wire.ts'

/** The mutants whose code one case runs, from a run without a mutant. */
export interface Reach {
  readonly id: string
  readonly ms: number
  readonly mutants: readonly number[]
  readonly operations: readonly string[]
}

/** A mutant by its number in the source, or by its name on the wire, and the cases that it is run against, in order. */
export interface Trial {
  readonly name: string
  readonly source?: number
  readonly cases: readonly string[]
  /** True if the mutant has to be on while the server starts. */
  readonly early?: boolean
}

export type Message =
  | {
      readonly type: 'reach'
      readonly cases: readonly Reach[]
      readonly start: readonly number[]
      readonly failed: readonly string[]
    }
  | { readonly type: 'done'; readonly name: string; readonly by: string | undefined; readonly why: string }

class Killed extends Error {
  readonly by: string
  readonly why: string

  constructor(by: string, why: string) {
    super(by)
    this.by = by
    this.why = why
  }
}

const { loadedWith = -1 } = (workerData ?? {}) as { readonly loadedWith?: number }
mutantSwitch.active = loadedWith
// Loaded after the switch is set, so that what runs at load has the mutant.
const { contract, openReference } = await import('../_reference.ts')

const byId = new Map(cases.map(one => [one.id, one]))
const wire = new Map(wireMutants(contract).map(one => [one.name, one]))
const say = (message: Message) => parentPort?.postMessage(message)
const failed = (result: Result) => ['fail', 'error', 'not-supported'].includes(outcomeOf(result, 'surrogate'))

async function onReference<T>(
  change: (fetch: Fetch) => Fetch,
  use: (
    ask: (chosen: readonly Case[], each: (result: Result) => void) => Promise<string | undefined>,
  ) => Promise<T>,
): Promise<T> {
  const reference = await openReference(change)
  try {
    const target = { ...reference.target, capabilities: ['applications' as const], patienceMs: 5_000 }
    return await use(async (chosen, onResult) => {
      const made = await run(target, { contract, profile: 'surrogate', seed: 1, cases: chosen, onResult })
      return made.invalid
    })
  } finally {
    mutantSwitch.active = loadedWith
    await reference.close()
  }
}

async function reach(): Promise<void> {
  const found: Reach[] = []
  const broken: string[] = []
  let start: readonly number[] = []
  await onReference(
    fetch => fetch,
    async ask => {
      start = takeReached()
      await ask(cases, result => {
        const operations = new Set(result.exchanges.flatMap(({ operation }) => operation ?? []))
        found.push({ id: result.case.id, ms: result.ms, mutants: takeReached(), operations: [...operations] })
        if (failed(result)) broken.push(`${result.case.id} ${result.error ?? result.findings[0]?.message}`)
      })
    },
  )
  say({ type: 'reach', cases: found, start, failed: broken })
}

/** Runs the cases in their order, a few at a time, until one fails. */
async function attempt({ name, source, cases: ids, early }: Trial): Promise<void> {
  if (early && source !== undefined) mutantSwitch.active = source
  const onWire = wire.get(name)
  let by: string | undefined
  let why = ''
  try {
    await onReference(
      fetch => (onWire ? onWire.change(fetch) : fetch),
      async ask => {
        if (source !== undefined) mutantSwitch.active = source
        const all = ids.flatMap(id => byId.get(id) ?? [])
        for (let at = 0, size = 2; at < all.length; at += size, size *= 4) {
          const invalid = await ask(all.slice(at, at + size), result => {
            if (failed(result))
              throw new Killed(result.case.id, result.error ?? result.findings[0]?.message ?? 'not supported')
          })
          if (invalid !== undefined) throw new Killed('the run', invalid)
        }
      },
    )
  } catch (error) {
    by = error instanceof Killed ? error.by : 'the run'
    why = error instanceof Killed ? error.why : String(error)
  }
  mutantSwitch.active = loadedWith
  say({ type: 'done', name, by, why })
}

parentPort?.on('message', (trial: Trial | 'reach') => {
  void (trial === 'reach' ? reach() : attempt(trial))
})
