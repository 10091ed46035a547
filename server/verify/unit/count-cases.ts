import { readFileSync } from 'node:fs'
import { Parser } from 'tap-parser'
import { filesUnder } from '../support/files.ts'

export interface Counts {
  passed: number
  skipped: number
  /** Names of those that failed, such as `tokens > a name is unique`. */
  readonly failures: string[]
}

/**
 * Counts test cases in what the processes of a run printed: tests without tests inside. Assertions are not cases, but one
 * that fails outside of every case counts as a failed case.
 */
export function countCases(folder: string): Counts {
  const counts: Counts = { passed: 0, skipped: 0, failures: [] }
  for (const path of filesUnder(folder)) {
    const parser = new Parser()
    follow(parser, counts)
    parser.end(readFileSync(path, 'utf8'))
  }
  return counts
}

/** What a test has inside. */
interface Inside {
  cases: number
  failed: number
}

/** Counts the cases inside a test. The result of a test comes after those of the tests in it. */
function follow(parser: Parser, counts: Counts): Inside {
  const inside: Inside = { cases: 0, failed: 0 }
  let last: Inside = { cases: 0, failed: 0 }
  parser.on('child', child => {
    last = follow(child, counts)
  })
  parser.on('assert', ({ ok, skip, todo, closingTestPoint, fullname }) => {
    if (skip) counts.skipped++
    else if (closingTestPoint) {
      if (ok && last.cases === 0) counts.passed++
      if (!ok && last.failed === 0) counts.failures.push(fullname)
      inside.cases += Math.max(last.cases, 1)
      inside.failed += ok ? 0 : 1
    } else if (!ok && !todo && parser.level === 0) counts.failures.push(fullname)
  })
  return inside
}
