import { readFileSync } from 'node:fs'
import type { FileTimes } from '../testing/file-times.ts'
import type { Ended } from './run-tasks.ts'
import { type Counts, failuresOf, formatCounts, readCounts, skipsOf, sumCounts } from './tap-output.ts'
import type { TestOptions } from './test-options.ts'
import { type PartTimes, timingTables } from './test-times.ts'

/** The environment variable that names the file to which a process writes its times. */
export const timesVariable = 'SURROGATE_TEST_TIMES'

/** Prints the results of a run: short, or all of them as TAP. */
export class TestReport {
  readonly #options: Pick<TestOptions, 'reporter' | 'timing'>
  readonly #print: (text: string) => void
  readonly #counts: Counts[] = []
  readonly #failed: string[] = []
  readonly #skipped = new Map<string, number>()
  readonly parts: PartTimes[] = []
  #ended = 0

  constructor(options: Pick<TestOptions, 'reporter' | 'timing'>, print: (text: string) => void) {
    this.#options = options
    this.#print = print
    if (options.reporter === 'tap') print('TAP version 14\n')
  }

  get hasFailed(): boolean {
    return this.#failed.length > 0
  }

  /** @param isTest false for another check, whose output is not TAP */
  add(ended: Ended, isTest: boolean): void {
    const { task, code, stdout, wasSilent } = ended
    const counts = readCounts(stdout)
    const why = wasSilent
      ? 'printed nothing for too long and was ended'
      : isTest && counts.total === 0
        ? 'no test was run'
        : code !== 0 || counts.fail > 0
          ? `exit code ${code}`
          : undefined
    if (why !== undefined) this.#failed.push(`${task.name} (${why})`)
    if (isTest) this.#counts.push(counts)
    for (const [reason, tests] of skipsOf(stdout))
      this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + tests)
    this.#readTimes(ended)
    if (this.#options.reporter === 'tap') this.#printTap(ended, isTest, why)
    else this.#printShort(ended, isTest, counts, why)
  }

  finish(total: { wallMs: number; processorMs: number }): void {
    const isTap = this.#options.reporter === 'tap'
    const lines = isTap ? [`1..${this.#ended}`] : ['']
    if (!isTap) for (const [reason, tests] of this.#skipped) lines.push(`${tests} skipped: ${reason}`)
    if (this.#options.timing)
      lines.push(
        ...timingTables(this.parts, total)
          .split('\n')
          .map(line => (isTap ? `# ${line}` : line)),
      )
    for (const failed of this.#failed) lines.push(`${isTap ? '# ' : ''}failed: ${failed}`)
    lines.push(formatCounts(sumCounts(this.#counts)), `# time=${Math.round(total.wallMs)}ms`)
    this.#print(`${lines.join('\n')}\n`)
  }

  #readTimes({ task, wallMs }: Ended): void {
    const path = task.env?.[timesVariable]
    let times: Record<string, FileTimes> = {}
    try {
      times = JSON.parse(readFileSync(path ?? '', 'utf8'))
    } catch {
      // It was killed.
      times = { '': { tests: 0, wallMs, processorMs: 0 } }
    }
    for (const [name, time] of Object.entries(times))
      this.parts.push({ ...time, name: name === '' ? `${task.name}: start and end` : name })
  }

  #printTap({ task, stdout, stderr, wallMs }: Ended, isTest: boolean, why: string | undefined): void {
    const output = isTest
      ? `# Subtest: ${task.name}\n${stdout.trimEnd().replace(/^(?=.)/gm, '    ')}`
      : `${stdout}${stderr}`.trim().replace(/^/gm, '# ')
    const result = `${why === undefined ? 'ok' : 'not ok'} ${++this.#ended} - ${task.name}`
    this.#print(
      `${output}\n${result} # time=${Math.round(wallMs)}ms\n${why === undefined ? '' : `# ${why}\n`}\n`,
    )
    if (isTest) process.stderr.write(stderr)
  }

  #printShort({ task, stdout, stderr, wallMs }: Ended, isTest: boolean, counts: Counts, why?: string): void {
    const numbers = isTest ? ` ${formatCounts(counts).replace(/^# \{ (.*) \}$/, '$1')},` : ''
    const time = `${(wallMs / 1000).toFixed(1)} s`
    if (why === undefined) this.#print(`ok     ${task.name}:${numbers} ${time}\n${stderr}`)
    else {
      const shown = isTest ? failuresOf(stdout) : stdout
      this.#print(`FAILED ${task.name}:${numbers} ${time}, ${why}\n${shown}\n${stderr}`)
    }
  }
}
