import { tokenCases } from './cases/tokens.case.ts'
import { type Case, sender, type Target, Unreachable } from './harness/target.ts'

export const cases: readonly Case[] = [...tokenCases]

/** What a run showed. `invalid` says nothing about the server: the suite could not do its work. */
export type Verdict = 'conformant' | 'not conformant' | 'invalid'

/** Runs the cases one after the other and writes a TAP line for each. */
export async function run(target: Target, write: (line: string) => void): Promise<Verdict> {
  const send = sender(target)
  write('TAP version 14')
  write(`1..${cases.length}`)
  let failed = 0
  for (const [index, { id, title, run: tryOut }] of cases.entries()) {
    try {
      await tryOut(send)
      write(`ok ${index + 1} - ${id} ${title}`)
    } catch (error) {
      if (error instanceof Unreachable) {
        write(`Bail out! ${error.message}`)
        return 'invalid'
      }
      failed++
      write(`not ok ${index + 1} - ${id} ${title}`)
      write(`  ---\n  message: ${JSON.stringify(error instanceof Error ? error.message : 'failed')}\n  ...`)
    }
  }
  return failed === 0 ? 'conformant' : 'not conformant'
}
