import t from 'tap'
import { main } from '../../src/program/main.ts'
import type { Ended } from './process.ts'

/** Returns why a server refused to start. @throws if it printed anything else */
export function refusalIn(stderr: string): string {
  const { level, event, reason } = JSON.parse(/^(\{[^\n]+\})\n$/.exec(stderr)?.[1] ?? '{}')
  if (level === 'error' && event === 'start refused') return reason
  throw new Error(`not one line about a refused start: ${stderr}`)
}

/**
 * Runs the program in this process, like `startProcess(…).ended`. For commands that end at once and leave nothing behind:
 * a process for each of them would take long.
 */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  // Until it has ended, no test prints.
  const [output, errors] = [process.stdout, process.stderr].map(stream =>
    t.capture(stream, 'write', (_text, written?: () => void) => {
      written?.()
      return true
    }),
  )
  const code = await main(args, environment).finally(() => {
    output?.restore()
    errors?.restore()
  })
  const text = (calls: typeof output) => (calls?.() ?? []).map(({ args: [chunk] }) => String(chunk)).join('')
  return { code, stdout: text(output), stderr: text(errors) }
}
