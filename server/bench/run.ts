/**
 * `npm run bench`: measures our server, the ceiling and Prism under the same load, in several rounds.
 *
 *     --rounds N       how often each server is started and measured (3)
 *     --seconds S      duration of each measurement (2)
 *     --only TEXT      only operations whose name begins with TEXT, such as get or "list page"; or formulas
 *     --cvc            cards with their security code: our server stores and reads two documents, the ceiling one
 *     --skip-prism     do not install Prism
 *
 * Figures can be compared within one run, not between runs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureFormulas } from './formulas.ts'
import { type Generator, startGenerator } from './generator.ts'
import { type Operation, operations } from './operations.ts'
import { cpuUsOf } from './processes.ts'
import { isBuilt, privateKey } from './server-process.ts'
import { ceiling, installPrism, type KeysPer, measureWrites, ours, type Subject } from './subjects.ts'
import { loadTable, type Sample, type Start, startTable } from './table.ts'

interface Plan {
  readonly rounds: number
  readonly seconds: number
  readonly operations: readonly Operation[]
  readonly formulas: boolean
  readonly cvc: boolean
  readonly skipPrism: boolean
}

const concurrencies = [16, 64]

const say = (text: string) => process.stdout.write(`${text}\n`)

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string' },
      cvc: { type: 'boolean', default: false },
      'skip-prism': { type: 'boolean', default: false },
    },
  })
  const { only = '' } = values
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  if (!Number.isInteger(rounds) || rounds < 1 || !(seconds > 0))
    throw new Error('--rounds and --seconds are numbers above 0')
  const chosen = operations.filter(({ name }) => name.startsWith(only))
  const formulas = 'formulas'.startsWith(only)
  if (chosen.length === 0 && !formulas) {
    throw new Error(`--only is one of ${operations.map(({ name }) => name).join(', ')}, formulas`)
  }
  return {
    rounds,
    seconds,
    operations: chosen,
    formulas,
    cvc: values.cvc,
    skipPrism: values['skip-prism'],
  }
}

async function run(plan: Plan, folder: string): Promise<void> {
  if (!isBuilt) throw new Error('there is no build to measure; run npm run build first')
  const generator = startGenerator()
  try {
    say(`Node ${process.version}, ${availableParallelism()} cores; data in ${tmpdir()}`)
    say('the ceiling does only what the specification asks of every server; ceiling.ts says what that is')
    const keysPer: KeysPer = {}
    for (const { name, writes } of plan.operations) {
      if (!writes) continue
      const { keys, bytes, perBatch } = await measureWrites(
        join(folder, 'writes'),
        generator,
        concurrencies,
        name,
        plan.cvc,
      )
      keysPer[name] = keys
      say(
        `${name}: our server writes ${keys.toFixed(1)} keys and ${bytes.toFixed(0)} bytes per request, ` +
          `${perBatch.toFixed(1)} requests to a batch; the ceiling writes ${Math.round(keys)} keys`,
      )
    }
    const subjects: Subject[] = [ours, ceiling(keysPer)]
    const prism = plan.skipPrism ? '--skip-prism' : await installPrism(join(folder, 'prism'))
    if (typeof prism === 'string') say(`Prism is skipped: ${prism}`)
    else subjects.push(prism)
    const samples: Sample[] = []
    const starts: Start[] = []
    for (let round = 0; round < plan.rounds; round++) {
      // Each round begins with another server, so that the order varies.
      for (let turn = 0; turn < subjects.length; turn++) {
        const subject = subjects[(round + turn) % subjects.length] as Subject
        const own = join(folder, `${subject.name}-${round}`)
        starts.push(
          await exercise(subject, own, plan, generator, sample => samples.push({ ...sample, round })),
        )
        rmSync(own, { recursive: true, force: true })
      }
    }
    say(`\n${loadTable(samples)}\n${startTable(starts)}`)
    const requests = samples.reduce((sum, { measured }) => sum + measured.answered, 0)
    const cpuUs = samples.reduce((sum, { measured }) => sum + measured.cpuUs, 0)
    say(`the load generator used ${(cpuUs / requests).toFixed(0)} µs of processor time per request`)
  } finally {
    await generator.end()
  }
}

async function exercise(
  subject: Subject,
  folder: string,
  plan: Plan,
  generator: Generator,
  keep: (sample: Omit<Sample, 'round'>) => void,
): Promise<Start> {
  const spawnedMs = performance.now()
  const server = await subject.start(folder)
  try {
    const job = { url: server.url, key: privateKey, cvc: plan.cvc }
    await generator.run({ ...job, operation: 'create', connections: 1, requests: 1 })
    const firstAnswerMs = performance.now() - spawnedMs
    // Creates tokens for the reads, and warms up code. After 1 s of this and 0.5 s of each operation, our server still took
    // a tenth more processor time for a create than later; the ceiling did not.
    await generator.run({ ...job, operation: 'create', connections: 16, seconds: 3 })
    for (const { name, key, prism } of plan.operations) {
      if (subject.name === 'prism' && !prism) continue
      const own = { ...job, key, operation: name }
      await generator.run({ ...own, connections: 16, seconds: 1 })
      for (const connections of concurrencies) {
        const before = cpuUsOf(server.pid)
        const measured = await generator.run({ ...own, connections, seconds: plan.seconds })
        const after = cpuUsOf(server.pid)
        const serverCpuUs = before === undefined || after === undefined ? undefined : after - before
        keep({ subject: subject.name, operation: name, connections, measured, serverCpuUs })
      }
    }
    return { subject: subject.name, readyMs: server.readyMs, firstAnswerMs }
  } finally {
    await server.end()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'surrogate-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const plan = readPlan()
  if (plan.operations.length > 0) await run(plan, folder)
  if (plan.formulas) await measureFormulas()
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
