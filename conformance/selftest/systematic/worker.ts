import { parentPort, workerData } from 'node:worker_threads'
import type { Case } from '../../src/harness/case.ts'
import { readRequirements } from '../../src/harness/requirements.ts'
import type { Result } from '../../src/result.ts'
import { cases, run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'

/** Which mutants the code of a case runs, and how long it took. */
export interface Reach {
  readonly id: string
  readonly ms: number
  readonly mutants: readonly number[]
}

/** What a thread is to do: run all cases without a mutant, or some against one until the first fails. */
export interface Task {
  readonly mutant: number
  /** All, if undefined. */
  readonly cases?: readonly string[]
}

export type Message =
  | { readonly type: 'reach'; readonly start: readonly number[]; readonly cases: readonly Reach[] }
  /** Without `by` no case failed. */
  | { readonly type: 'done'; readonly by?: string }

declare global {
  // Instrumented code calls it by this name, in whatever file it is.
  var __mutant: (number: number) => boolean
}

const { mutant, cases: chosen } = workerData as Task
const reached = new Set<number>()
globalThis.__mutant = number => {
  if (mutant < 0) reached.add(number)
  return number === mutant
}
const takeReached = () => {
  const found = [...reached]
  reached.clear()
  return found
}
const say = (message: Message) => parentPort?.postMessage(message)

// Loaded after the switch is set, so that what runs at load has the mutant.
const { capabilities, contract, openReference } = await import('../_reference.ts')
const reference = await openReference()

async function ask(some: readonly Case[], onResult: (result: Result) => void): Promise<void> {
  const options = { contract, requirements: readRequirements(), capabilities, seed: 1 } as const
  const { invalid } = await run(reference.target, { ...options, profile: 'surrogate', cases: some, onResult })
  if (invalid !== undefined) throw new Error(invalid)
}

const hasFailed = (result: Result) =>
  ['fail', 'error', 'not-supported'].includes(outcomeOf(result, 'surrogate'))

if (mutant < 0) {
  const start = takeReached()
  const found: Reach[] = []
  // Each case alone, so that what it shares with others counts for each of them. Those that move the clock are last.
  const isLate = ({ needs }: Case) => Number(needs.includes('clock'))
  for (const one of [...cases].sort((a, b) => isLate(a) - isLate(b)))
    await ask([one], result => {
      if (hasFailed(result)) throw new Error(`without a mutant, ${one.id} fails`)
      found.push({ id: one.id, ms: result.ms, mutants: takeReached() })
    })
  say({ type: 'reach', start, cases: found })
} else {
  const byId = new Map(cases.map(one => [one.id, one]))
  const own = (chosen ?? cases.map(({ id }) => id)).flatMap(id => byId.get(id) ?? [])
  // A few at a time: most mutants fail one of the first.
  for (let at = 0, size = 2; at < own.length; at += size, size *= 4)
    await ask(own.slice(at, at + size), result => {
      if (!hasFailed(result)) return
      say({ type: 'done', by: result.case.id })
      process.exit()
    })
  say({ type: 'done' })
}
process.exit()
