import { parentPort, workerData } from 'node:worker_threads'
import type { Case } from '../../src/harness/case.ts'
import { readRequirements } from '../../src/harness/requirements.ts'
import type { Fetch } from '../../src/harness/transport.ts'
import type { Result } from '../../src/result.ts'
import { cases, run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'
import { mutantSwitch, takeReached } from './switch.ts'
import { notingWireMutants, wireMutants, withWireMutant } from './wire.ts'

/** The mutants whose code one case runs, from a run without a mutant. */
export interface Reach {
  readonly id: string
  readonly ms: number
  readonly mutants: readonly number[]
  /** Names of mutants of responses. */
  readonly wire: readonly string[]
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
  | { readonly type: 'begins'; readonly id: string }
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
const { capabilities, contract, openReference } = await import('../_reference.ts')

const options = {
  contract,
  requirements: readRequirements(),
  capabilities,
  profile: 'surrogate',
  seed: 1,
} as const
const announced = cases.map(
  (one): Case => ({
    ...one,
    run(context) {
      say({ type: 'begins', id: one.id })
      return one.run(context)
    },
  }),
)
const byId = new Map(announced.map(one => [one.id, one]))
// Cases that move the clock are the last, as in a run.
const inOrder = [...announced].sort(
  (a, b) => Number(a.needs.includes('clock')) - Number(b.needs.includes('clock')),
)
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
    const target = { ...reference.target, timeoutMs: 12_000, patienceMs: 3_000 }
    return await use(async (chosen, onResult) => {
      const made = await run(target, {
        ...options,
        cases: chosen,
        onResult,
      })
      return made.invalid
    })
  } finally {
    mutantSwitch.active = loadedWith
    await reference.close()
  }
}

/** Runs each case alone, so that what it shares with others counts for each of them. */
async function reach(): Promise<void> {
  const found: Reach[] = []
  const broken: string[] = []
  let start: readonly number[] = []
  const onWire = new Set<string>()
  const noting = (fetch: Fetch) =>
    notingWireMutants(contract, [...wire.values()], name => onWire.add(name), fetch)
  await onReference(noting, async ask => {
    start = takeReached()
    for (const one of inOrder)
      await ask([one], result => {
        found.push({ id: one.id, ms: result.ms, mutants: takeReached(), wire: [...onWire] })
        onWire.clear()
        if (failed(result)) broken.push(`${one.id} ${result.error ?? result.findings[0]?.message}`)
      })
  })
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
      fetch => (onWire ? withWireMutant(contract, onWire, fetch) : fetch),
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
