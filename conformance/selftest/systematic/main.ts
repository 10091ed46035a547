/**
 * `npm run verify -- systematic [--only PATTERN] [--sample N]`: makes mutants of our server from its code, runs each
 * against the cases that reach it until one fails, and prints those that survive: some cannot be seen from outside,
 * others show a case that is missing.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { buildMutants } from './build.ts'
import type { Message, Task } from './worker.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, sample: { type: 'string', default: 'Infinity' } },
})
const write = (line: string) => process.stdout.write(`${line}\n`)
const built = await buildMutants()

/** Runs a task in a thread of its own. Resolves with `undefined` if the thread ends, or has not answered in this time. */
async function perform(task: Task, limitMs: number): Promise<Message | undefined> {
  const worker = new Worker(built.program, { workerData: task, stdout: true, stderr: true })
  const timer = setTimeout(() => void worker.terminate(), limitMs)
  const ended = once(worker, 'exit').then(() => undefined)
  const [message] = (await Promise.race([once(worker, 'message').catch(() => []), ended])) ?? []
  clearTimeout(timer)
  await worker.terminate()
  return message as Message | undefined
}

const whole = await perform({ mutant: -1 }, 3_600_000)
if (whole?.type !== 'reach') throw new Error('without a mutant a case fails')
// First the cases that reach least, as they check most about it.
const sorted = [...whole.cases].sort((a, b) => a.mutants.length * a.ms - b.mutants.length * b.ms)
const early = new Set(whole.start)

/** The task for a mutant, and the time that its cases take without it. `undefined` if no case reaches it. */
function taskOf(mutant: number): { task: Task; ms: number } | undefined {
  const reaching = early.has(mutant) ? sorted : sorted.filter(({ mutants }) => mutants.includes(mutant))
  if (reaching.length === 0) return undefined
  const ms = reaching.reduce((sum, one) => sum + one.ms, 0)
  return { task: { mutant, cases: reaching.map(({ id }) => id) }, ms }
}

const pattern = new RegExp(values.only)
const numbers = built.mutants.flatMap((name, number) => (pattern.test(name) ? [number] : []))
const left = numbers
  .map(number => ({ number, order: Math.random() }))
  .sort((a, b) => a.order - b.order)
  .slice(0, Number(values.sample))
let [tried, survive] = [0, 0]

async function judge(): Promise<void> {
  for (let next = left.pop(); next; next = left.pop()) {
    const plan = taskOf(next.number)
    // A mutant may make a case wait for what never comes.
    const verdict = plan && (await perform(plan.task, 60_000 + 10 * plan.ms))
    tried++
    if (plan && (verdict?.type !== 'done' || verdict.by !== undefined)) continue
    survive++
    write(`survives: ${built.mutants[next.number]}${plan ? '' : ' (no case reaches it)'}`)
  }
}

try {
  await Promise.all(Array.from({ length: availableParallelism() }, judge))
} finally {
  built.remove()
}
write(`${tried} mutants, ${tried - survive} killed, ${survive} survive`)
