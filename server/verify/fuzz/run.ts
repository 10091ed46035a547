/**
 * `npm run verify -- fuzz`: starts a server and sends it valid, mutated and oversized requests made from the contract. The exit
 * code is 1 if there are findings, which README.md lists. Prints its seed; `--seed` repeats the same requests.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { kinds } from './case.ts'
import { readDocument } from './document.ts'
import { fuzz } from './fuzz.ts'
import { Generator } from './generate.ts'
import { describe, describeCase } from './report.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '20000' },
    only: { type: 'string' },
    kind: { type: 'string' },
    storage: { type: 'string', default: 'memory:' },
  },
})
const say = (line: string) => void process.stdout.write(`${line}\n`)
const whole = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`)
  return Number(text)
}
const seed = values.seed ?? String(randomInt(1_000_000_000))
const storage = values.storage
if (storage !== 'memory:' && storage !== 'level:') throw new Error('--storage must be memory: or level:')
const kind = kinds.find(one => one === values.kind)
if (values.kind !== kind) throw new Error(`--kind must be one of ${kinds.join(', ')}`)
say(`seed ${seed}`)
const only = values.only === undefined ? undefined : whole('only', values.only)
if (only !== undefined) say(describeCase(new Generator(readDocument()).generate(seed, only, kind)))
const flags = [storage === 'memory:' ? '' : ` --storage ${storage}`, kind ? ` --kind ${kind}` : '']
const again = `npm run verify -- fuzz${flags.join('')}`
const report = await fuzz({
  seed,
  ...(only === undefined ? { count: whole('count', values.count) } : { first: only, count: 1 }),
  kind,
  target: { storage },
  say,
})
say(describe(report, again))
process.exitCode = report.findings.length === 0 ? 0 : 1
