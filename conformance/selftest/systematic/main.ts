/**
 * `npm run verify -- systematic [--shard 1/8] [--only PATTERN]`: makes mutants of our server from its code, its
 * contract and its responses, runs each against the cases that reach it until one fails, and prints those that survive:
 * some cannot be seen from outside, others show a case that is missing. `--results FILE` keeps the results
 * as lines of JSON, and leaves out mutants that the file has. `--earlier FILE` has results of an earlier run, whose
 * killing cases are tried first. `--reach FILE` keeps which mutants make a difference to which case, for further runs
 * of the same code. `--cases N` tries at most N cases for each mutant.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { contract } from '../_reference.ts'
import { buildMutants } from './build.ts'
import { Killers } from './killers.ts'
import { type Planned, planTrials, type Reached } from './plan.ts'
import { MutantRunner, type Verdict } from './runner.ts'
import { wireMutants } from './wire.ts'

const { values } = parseArgs({
  options: {
    shard: { type: 'string', default: '1/1' },
    only: { type: 'string', default: '' },
    results: { type: 'string' },
    earlier: { type: 'string' },
    reach: { type: 'string' },
    cases: { type: 'string', default: 'Infinity' },
  },
})
const [part = 1, parts = 1] = values.shard.split('/').map(Number)
const pattern = new RegExp(values.only)
const write = (line: string) => process.stdout.write(`${line}\n`)
const kept = verdictsIn(values.results)
const killers = new Killers()
for (const one of [...verdictsIn(values.earlier), ...kept]) killers.add(one)

const built = await buildMutants()
const runner = new MutantRunner(built.program)
try {
  const wire = wireMutants(contract)
  write(`${built.mutants.length} mutants of code and contract, ${wire.length} of responses`)
  const known = new Set(kept.map(({ name }) => name))
  const isChosen = ({ name }: Planned) =>
    pattern.test(name) && hash(name) % parts === part - 1 && !known.has(name)
  const trials = planTrials(built.mutants, wire, await reach()).filter(isChosen)
  const verdicts = [...kept]
  for (const trial of trials) {
    const verdict = await verdictOn(trial)
    verdicts.push(verdict)
    killers.add(verdict)
    if (values.results !== undefined) appendFileSync(values.results, `${JSON.stringify(verdict)}\n`)
    write(`${verdict.by === undefined ? 'SURVIVED' : 'killed'} ${trial.name} ${verdict.by ?? ''}`)
  }
  summarize(verdicts)
} finally {
  await runner.close()
  await built.remove()
}

/** Runs all cases once, and notes to which of them each mutant makes a difference. */
async function reach(): Promise<Reached> {
  if (values.reach !== undefined && existsSync(values.reach))
    return JSON.parse(readFileSync(values.reach, 'utf8')) as Reached
  const noting = await buildMutants(true)
  const once = new MutantRunner(noting.program)
  try {
    const made = await once.reach(noting.mutants)
    if (values.reach !== undefined) writeFileSync(values.reach, JSON.stringify(made))
    return made
  } finally {
    await once.close()
    await noting.remove()
  }
}

async function verdictOn(trial: Planned): Promise<Verdict> {
  if (trial.cases.length > 0)
    return runner.attempt(
      { ...trial, cases: killers.sorted(trial.name, trial.cases).slice(0, Number(values.cases)) },
      trial.loadedWith,
    )
  return { name: trial.name, by: undefined, why: 'it makes no difference to any case', ms: 0 }
}

function verdictsIn(file: string | undefined): Verdict[] {
  if (file === undefined || !existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

function summarize(verdicts: readonly Verdict[]): void {
  const survivors = verdicts.filter(({ by }) => by === undefined)
  for (const { name, why } of survivors) write(`survives: ${name} ${why}`)
  write(
    `${verdicts.length} mutants, ${verdicts.length - survivors.length} killed, ${survivors.length} survive`,
  )
}

/** Spreads names over shards in the same way on every machine. */
function hash(name: string): number {
  let made = 7
  for (const character of name) made = (Math.imul(made, 31) + character.charCodeAt(0)) >>> 0
  return Math.imul(made ^ (made >>> 15), 0x2c1b3c6d) >>> 0
}
