import { writeFileSync } from 'node:fs'
import t from 'tap'
import { readClocks } from '../scripts/usage.mjs'

/** The time of the tests of a file. */
export interface FileTimes {
  /** Tests of the file; assertions and tests inside of them do not count. */
  readonly tests: number
  readonly wallMs: number
  /** Of this process and of those that it started and that have ended. */
  readonly processorMs: number
}

/** By the path of the file; what belongs to no file is under an empty name. */
const times = new Map<string, FileTimes>()
const fileOf = new WeakMap<object, string>()
let [defining, spending] = ['', '']
let last = { wallMs: 0, processorMs: 0 }

const timesOf = (path: string): FileTimes => times.get(path) ?? { tests: 0, wallMs: 0, processorMs: 0 }

/** Adds the time since the last call to the file that spent it. */
function spendOn(next: string): void {
  const now = readClocks()
  const { tests, wallMs, processorMs } = timesOf(spending)
  times.set(spending, {
    tests,
    wallMs: wallMs + now.wallMs - last.wallMs,
    processorMs: processorMs + now.processorMs - last.processorMs,
  })
  last = now
  spending = next
}

/** Reading the clocks takes 0.2 ms, so they are read only where another file goes on. */
function beginTest(path: string): void {
  if (path !== spending) spendOn(path)
  const known = timesOf(path)
  times.set(path, { ...known, tests: known.tests + 1 })
}

/** Called before each file: tests that are defined from now on are its tests. */
export function beginFile(path: string): void {
  spendOn(path)
  defining = path
}

const target = process.env.SURROGATE_TEST_TIMES
if (target !== undefined) {
  // The test that goes on while files are loaded belongs to none of them.
  t.on('subtestAdd', test => defining === '' || fileOf.set(test, defining))
  t.on('subtestStart', test => fileOf.has(test) && beginTest(fileOf.get(test) ?? ''))
  process.once('exit', () => {
    spendOn('')
    writeFileSync(target, JSON.stringify(Object.fromEntries(times)))
  })
}
