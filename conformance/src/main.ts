import { type Config, ConfigError, readConfig, shownConfig, targetOf, usage } from './config.ts'
import { counts } from './harness/context.ts'
import { readRequirements } from './harness/requirements.ts'
import { redactor } from './redact.ts'
import { reportOf } from './report/model.ts'
import { tapEnd, tapLines } from './report/tap.ts'
import { writeReport } from './report/write.ts'
import { cases, run } from './run.ts'
import { loadCarrier } from './through/carrier.ts'
import { exitCodes } from './verdict.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

type Output = { write(text: string): unknown; readonly isTTY?: boolean }

/** Runs the command. Resolves with its exit code. */
export async function main(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  out: Output = process.stdout,
  err: Output = process.stderr,
): Promise<number> {
  try {
    const config = readConfig(argv, environment)
    if (config.command === 'help') out.write(usage)
    else if (config.command === 'print-config') out.write(`${shownConfig(config)}\n`)
    else if (config.command === 'list') out.write(listed(config))
    else return await perform(config, out, err)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    err.write(`${error.message}\n\n${usage}`)
    return exitCodes['invalid run']
  }
}

async function perform(config: Config, out: Output, err: Output): Promise<number> {
  const target = targetOf(config, request => fetch(request))
  const redact = redactor(target)
  const startedAt = new Date()
  const carrier = config.through === 'sdk' ? await loadCarrier(target) : undefined
  let done = 0
  // A second signal ends the process at once.
  const interruption = new AbortController()
  const interrupt = (signal: string) => interruption.abort(`interrupted by ${signal}`)
  for (const signal of signals) process.once(signal, interrupt)
  out.write('TAP version 14\n')
  const result = await run(target, {
    signal: interruption.signal,
    limitMs: config.limitMs,
    profile: config.profile,
    only: config.only,
    skip: config.skip,
    ...(config.seed === undefined ? {} : { seed: config.seed }),
    ...(carrier === undefined ? {} : { carrier }),
    onResult(one, count) {
      if (done === 0) out.write(`1..${count}\n`)
      done++
      for (const line of tapLines(one, done, config.profile, redact)) out.write(`${line}\n`)
      if (err.isTTY) err.write(`\r${done}/${count} ${one.case.id.padEnd(12)}`)
    },
  })
  for (const signal of signals) process.off(signal, interrupt)
  if (err.isTTY) err.write('\r')
  for (const line of tapEnd(result)) out.write(`${line}\n`)
  if (config.report !== undefined) {
    const report = reportOf(result, { target, through: config.through, startedAt, redact })
    await writeReport(config.report, report)
  }
  return exitCodes[result.verdicts[config.profile] ?? 'invalid run']
}

function listed({ profile }: Config): string {
  const requirements = new Map(readRequirements().map(one => [one.id, one]))
  return cases
    .flatMap(one => {
      const requirement = requirements.get(one.requirement)
      return requirement && counts(requirement.profile, profile)
        ? [`${one.id} ${requirement.level} ${requirement.profile} ${requirement.section}: ${one.title}\n`]
        : []
    })
    .join('')
}
