import { readFileSync } from 'node:fs'
import { Parser } from 'tap-parser'
import { filesUnder } from '../support/files.ts'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/**
 * Counts test cases in what the processes of a run printed: tests without tests inside. Assertions are not cases, but one
 * that fails outside of every case counts as a failed case.
 */
export function countCases(folder: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const path of filesUnder(folder)) countIn(readFileSync(path, 'utf8'), counts)
  return counts
}

function countIn(text: string, counts: Counts): void {
  const parser = new Parser()
  const all = follow(parser, counts)
  parser.end(text)
  counts.failed += all.failedAlone
}

/** What a test has inside. */
interface Inside {
  cases: number
  failed: number
  /** Assertions that failed outside of a case. */
  failedAlone: number
}

/** Counts the cases inside a test. The result of a test comes after those of the tests in it. */
function follow(parser: Parser, counts: Counts): Inside {
  const inside: Inside = { cases: 0, failed: 0, failedAlone: 0 }
  let last: Inside = { cases: 0, failed: 0, failedAlone: 0 }
  parser.on('child', child => {
    last = follow(child, counts)
  })
  parser.on('assert', ({ ok, skip, todo, closingTestPoint }) => {
    if (skip) counts.skipped++
    else if (!closingTestPoint) inside.failedAlone += ok || todo ? 0 : 1
    else {
      if (last.cases === 0) counts[ok ? 'passed' : 'failed']++
      else if (!ok && last.failed === 0) counts.failed++
      inside.cases += Math.max(last.cases, 1)
      inside.failed += ok ? 0 : 1
    }
  })
  return inside
}
