import { type Config, readConfig, shownConfig, targetOf, usage } from './config.ts'
import { ConfigError } from './config-error.ts'
import { featuresOf } from './features.ts'
import { readPackageFile } from './files.ts'
import { counts } from './harness/context.ts'
import { readRequirements } from './harness/requirements.ts'
import { redactor } from './redact.ts'
import { compare, readReport } from './report/compare.ts'
import { reportOf } from './report/model.ts'
import { tableOf } from './report/table.ts'
import { tapEnd, tapLines } from './report/tap.ts'
import { writeReport } from './report/write.ts'
import { isLeftOut } from './result.ts'
import { cases, run } from './run.ts'
import { matching } from './selection.ts'
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
    if (argv[0] === 'compare') return compareReports(argv.slice(1), out)
    if (argv[0] === 'table') return showTable(argv.slice(1), out)
    const config = readConfig(argv, environment)
    if (config.command === 'help') out.write(usage)
    else if (config.command === 'version')
      out.write(`${JSON.parse(readPackageFile('package.json')).version}\n`)
    else if (config.command === 'print-config') out.write(`${shownConfig(config)}\n`)
    else if (config.command === 'list') out.write(listed(config))
    else if (config.command === 'list-json') out.write(listedAsJson(config))
    else return await perform(config, out, err)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    err.write(`${error.message}; see --help\n`)
    return exitCodes['invalid run']
  }
}

async function perform(config: Config, out: Output, err: Output): Promise<number> {
  requireCodeGeneration()
  const target = targetOf(config)
  const redact = redactor(target)
  const startedAt = new Date()
  const carrier = config.through === 'sdk' ? await loadCarrier(target) : undefined
  const isSelection = config.only.length > 0 || config.sections.length > 0
  let done = 0
  // A second signal ends the process at once.
  const interruption = new AbortController()
  const interrupt = (signal: string) => interruption.abort(`interrupted by ${signal}`)
  for (const signal of signals) process.once(signal, interrupt)
  out.write('TAP version 14\n')
  const result = await run(target, {
    signal: interruption.signal,
    limitMs: config.limitMs,
    concurrency: config.concurrency,
    profile: config.profile,
    claims: config.claims,
    only: config.only,
    sections: config.sections,
    expected: config.expected,
    skip: config.skip,
    ...(config.seed === undefined ? {} : { seed: config.seed }),
    ...(carrier === undefined ? {} : { carrier }),
    onResult(one, count) {
      if (isLeftOut(one)) return
      // A run of some cases knows their number at its end.
      if (done === 0 && !isSelection) out.write(`1..${count}\n`)
      done++
      for (const line of tapLines(one, done, config.profile, redact)) out.write(`${line}\n`)
      if (err.isTTY) err.write(`\r${done}/${count} ${one.case.id.padEnd(12)}`)
    },
  })
  for (const signal of signals) process.off(signal, interrupt)
  if (err.isTTY) err.write('\r')
  if (isSelection) out.write(`1..${done}\n`)
  for (const line of tapEnd(result)) out.write(`${line}\n`)
  if (config.report !== undefined) {
    const report = reportOf(result, {
      target,
      identity: config.identity,
      through: config.through,
      startedAt,
      redact,
    })
    await writeReport(config.report, report)
  }
  return result.exitCode
}

/** @throws {ConfigError} where Node may not make code of texts, which validators are */
function requireCodeGeneration(): void {
  try {
    new Function('')
  } catch {
    throw new ConfigError(
      'Node runs with --disallow-code-generation-from-strings, which validators need; remove it from NODE_OPTIONS',
    )
  }
}

/** The cases that a command selects, with their requirements. */
function selected({ profile, only, sections }: Config) {
  const requirements = new Map(readRequirements().map(one => [one.id, one]))
  return cases.flatMap(one => {
    const requirement = requirements.get(one.requirement)
    const isAsked =
      requirement !== undefined &&
      counts(requirement.profile, profile) &&
      (only.length === 0 || only.some(pattern => matching(pattern, one))) &&
      (sections.length === 0 || sections.includes(requirement.section))
    return isAsked ? [{ one, requirement }] : []
  })
}

function listed(config: Config): string {
  return selected(config)
    .map(
      ({ one, requirement }) =>
        `${one.id} ${requirement.level} ${requirement.profile} ${requirement.section}: ${one.title}\n`,
    )
    .join('')
}

function listedAsJson(config: Config): string {
  const all = selected(config).map(({ one, requirement }) => ({
    id: one.id,
    title: one.title,
    requirement: requirement.id,
    profile: requirement.profile,
    section: requirement.section,
    level: requirement.level,
    text: requirement.text,
    features: [...featuresOf(one, requirement)],
    needs: [...new Set([...requirement.needs, ...one.needs])],
    operations: requirement.operations,
  }))
  return `${JSON.stringify(all, undefined, 2)}\n`
}

/** Prints the verdicts of reports beside each other. */
function showTable(paths: readonly string[], out: Output): number {
  if (paths.length === 0) throw new ConfigError('table takes files: table ONE/report.json OTHER/report.json')
  out.write(`${tableOf(paths.map(readReport)).join('\n')}\n`)
  return 0
}

/** Prints how two reports differ. Returns 1 if a case became worse. */
function compareReports(paths: readonly string[], out: Output): number {
  const [before, after] = paths
  if (before === undefined || after === undefined || paths.length > 2)
    throw new ConfigError('compare takes two files: compare OLD/report.json NEW/report.json')
  const { lines, worse } = compare(readReport(before), readReport(after))
  out.write(`${lines.join('\n')}\n`)
  return worse.length === 0 ? 0 : 1
}
