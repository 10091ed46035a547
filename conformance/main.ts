import { parseArgs } from 'node:util'
import { cases, run, type Verdict } from './run.ts'

const exitCodes: Record<Verdict, number> = { conformant: 0, 'not conformant': 1, invalid: 2 }

const usage = `Usage: surrogate-conformance --base-url URL --private-key KEY [--header-prefix SVC] [--list]

Runs the cases against a server. The key must be able to do everything with tokens and reveal their data.
Each flag is also CONFORMANCE_…, such as CONFORMANCE_BASE_URL.
Exit codes: 0 every case held, 1 one did not, 2 the run was not valid.
`

const options = {
  'base-url': { type: 'string' },
  'private-key': { type: 'string' },
  'header-prefix': { type: 'string' },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** The command: resolves with its exit code. */
export async function main(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const write = (text: string) => process.stdout.write(`${text}\n`)
  let flags: ReturnType<typeof parse>
  try {
    flags = parse(argv)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'unreadable arguments'}\n${usage}`)
    return exitCodes.invalid
  }
  if (flags.help) {
    process.stdout.write(usage)
    return 0
  }
  if (flags.list) {
    for (const { id, title } of cases) write(`${id} ${title}`)
    return 0
  }
  const baseUrl = flags['base-url'] ?? environment.CONFORMANCE_BASE_URL
  const privateKey = flags['private-key'] ?? environment.CONFORMANCE_PRIVATE_KEY
  if (baseUrl === undefined || !URL.canParse(baseUrl) || privateKey === undefined) {
    process.stderr.write(`--base-url (a URL) and --private-key are needed\n${usage}`)
    return exitCodes.invalid
  }
  const headerPrefix = flags['header-prefix'] ?? environment.CONFORMANCE_HEADER_PREFIX ?? 'SVC'
  const verdict = await run({ baseUrl, privateKey, headerPrefix, fetch }, write)
  write(`# verdict: ${verdict}`)
  return exitCodes[verdict]
}

function parse(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
}
