import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { type Capability, capabilities, isCapability } from './capabilities.ts'
import { ConfigError, refuseMissing } from './config-error.ts'
import { type Feature, features, isFeature } from './features.ts'
import { flags, ofTarget } from './flags.ts'
import type { Profile } from './harness/finding.ts'
import type { Target } from './harness/target.ts'
import { readReport } from './report/compare.ts'
import type { Identity } from './report/model.ts'

export interface Config {
  readonly command: 'run' | 'list' | 'list-json' | 'help' | 'version' | 'print-config'
  readonly settings: Readonly<Record<string, string | readonly string[]>>
  readonly profile: Profile
  readonly claims: readonly Feature[]
  readonly only: readonly string[]
  readonly sections: readonly string[]
  readonly expected: Readonly<Record<string, string>>
  /** How the report names the server. */
  readonly identity: Identity
  readonly skip: Readonly<Record<string, string>>
  readonly seed: number | undefined
  readonly through: 'http' | 'sdk'
  readonly report: string | undefined
  /** Number of cases that run at the same time. */
  readonly concurrency: number
  /** Time limit of the whole run, in milliseconds. */
  readonly limitMs: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws {ConfigError} if the command is not valid */
export function readConfig(argv: readonly string[], environment: Environment): Config {
  const given = parsed(argv)
  const file = one(given.target) ?? environment.CONFORMANCE_TARGET
  const settings: Record<string, string | readonly string[]> = {
    ...(file === undefined ? {} : readTarget(file)),
  }
  for (const name of ofTarget) {
    const fromEnvironment = environment[`CONFORMANCE_${name.toUpperCase().replaceAll('-', '_')}`]
    const lists = flags[name]?.multiple
    if (fromEnvironment !== undefined) settings[name] = lists ? fromEnvironment.split(',') : fromEnvironment
    const flag = given[name]
    if (typeof flag === 'string' || Array.isArray(flag)) settings[name] = flag as string | string[]
  }
  const listing = given.json ? 'list-json' : 'list'
  const command = given.help
    ? 'help'
    : given.version
      ? 'version'
      : given.list
        ? listing
        : given['print-config']
          ? 'print-config'
          : 'run'
  const limit = Number(one(settings.limit) ?? 900)
  if (!(limit >= 1 && limit <= 86_400))
    throw new ConfigError('--limit takes a number of seconds, at most 86400')
  const concurrency = Number(one(settings.concurrency) ?? 8)
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 32))
    throw new ConfigError('--concurrency takes a number from 1 to 32')
  const seed = one(given.seed)
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    throw new ConfigError('--seed takes a number of at most ten digits')
  return {
    command,
    settings,
    profile: choice('profile', one(given.profile), ['core', 'surrogate']),
    through: choice('through', one(given.through), ['http', 'sdk']),
    claims: settings.claim === undefined ? features : list(settings.claim).map(asFeature),
    only: [...list(given.only), ...failedIn(one(given['rerun-failed']))],
    sections: list(given.section),
    expected: typeof settings.expected === 'string' ? readExpected(settings.expected) : {},
    identity: {
      name: one(settings.name),
      version: one(settings['server-version']),
      contact: one(settings.contact),
    },
    skip: Object.fromEntries(list(settings.skip).map(asSkip)),
    seed: seed === undefined ? undefined : Number(seed),
    report: one(given.report),
    limitMs: limit * 1000,
    concurrency,
  }
}

/** @throws {ConfigError} if a setting is missing or not valid */
export function targetOf({ settings }: Config): Target {
  const text = (name: string) =>
    typeof settings[name] === 'string' && settings[name] !== '' ? settings[name] : undefined
  const url = (name: string) => {
    const value = text(name)
    if (value !== undefined && !/^https?:\/\/[^/]/.test(value))
      throw new ConfigError(`--${name} takes an http or https URL`)
    if (value !== undefined && (!URL.canParse(value) || /^https?:\/\/[^/]*@/.test(value)))
      throw new ConfigError(`--${name} takes a URL without a user's name or password`)
    return value
  }
  const [baseUrl, privateKey] = [url('base-url'), text('private-key')]
  if (baseUrl === undefined || privateKey === undefined)
    throw new ConfigError('--base-url and --private-key are required')
  const headerPrefix = text('header-prefix') ?? 'SVC'
  if (!/^[A-Za-z0-9-]+$/.test(headerPrefix))
    throw new ConfigError('--header-prefix takes letters, digits and hyphens, such as SVC')
  const searchLagMs = Number(text('search-lag') ?? 5_000)
  if (!(searchLagMs >= 0)) throw new ConfigError('--search-lag takes a number of milliseconds')
  const timeoutMs = Number(text('timeout') ?? 20_000)
  if (!(timeoutMs >= 1)) throw new ConfigError('--timeout takes a number of milliseconds, at least 1')
  return {
    baseUrl,
    privateKey,
    publicKey: text('public-key'),
    managementKey: text('management-key'),
    maskedKey: text('masked-key'),
    redactedKey: text('redacted-key'),
    limitedKey: text('limited-key'),
    otherPrivateKey: text('other-private-key'),
    otherManagementKey: text('other-management-key'),
    headerPrefix,
    clockUrl: url('clock-url'),
    callbackHost: text('callback-host'),
    webhookSecret: text('webhook-secret'),
    capabilities: list(settings.capability).map(asCapability),
    searchLagMs,
    timeoutMs,
    // Far longer than a result takes: what never happens should not keep a run waiting.
    patienceMs: timeoutMs * 0.3,
  }
}

/** Returns the settings in the form of a target file, without secrets. */
export function shownConfig({ settings, profile, through }: Config): string {
  const shown = Object.entries(settings).map(([name, value]) => [
    name,
    flags[name]?.secret ? '[redacted]' : value,
  ])
  return JSON.stringify({ ...Object.fromEntries(shown), profile, through }, undefined, 2)
}

export const usage = [
  'Usage: surrogate-conformance --target FILE [flags]',
  '       surrogate-conformance --base-url URL --private-key KEY [flags]',
  '       surrogate-conformance compare OLD/report.json NEW/report.json',
  '       surrogate-conformance table ONE/report.json OTHER/report.json …',
  '',
  ...Object.values(flags).map(({ usage, help }) => `  ${`--${usage}`.padEnd(32)}${help}`),
  '',
  'Settings of the server can also be environment variables, such as CONFORMANCE_BASE_URL; lists are comma-separated.',
  `Features: ${features.join(', ')}.`,
  `Capabilities: ${capabilities.join(', ')}.`,
  'Exit codes, over the claimed features: 0 conformant, 1 a MUST failed, 2 the run was not valid, 3 partial.',
  '',
].join('\n')

function parsed(argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, multiple }]) => [name, { type, multiple }]),
  )
  const args = withEachValue(argv)
  for (const arg of args) {
    const [, name] = /^--([^=]+)/.exec(arg) ?? []
    if (name === undefined || name in flags) continue
    const near = nearestTo(name)
    throw new ConfigError(
      `there is no flag --${name}${near === undefined ? '' : `; did you mean --${near}?`}`,
    )
  }
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    const [sentence = 'invalid arguments'] = (error as Error).message.split('. ')
    throw new ConfigError(sentence)
  }
}

/** Gives each of several values a flag of its own: `--only A B` is `--only A --only B`. */
function withEachValue(argv: readonly string[]): string[] {
  let flag: string | undefined
  let count = 0
  return argv.flatMap(arg => {
    if (arg.startsWith('--')) {
      flag = flags[arg.slice(2)]?.multiple ? arg : undefined
      count = 0
      return [arg]
    }
    return flag !== undefined && count++ > 0 ? [flag, arg] : [arg]
  })
}

/** Returns the flag that shares most of its beginning and end with a name, if it is most of the flag. */
function nearestTo(name: string): string | undefined {
  const likeness = (flag: string) => {
    let [start, end] = [0, 0]
    while (start < flag.length && flag[start] === name[start]) start++
    while (start + end < flag.length && flag.at(-1 - end) === name.at(-1 - end)) end++
    return start + end
  }
  const [near = ''] = Object.keys(flags).sort((a, b) => likeness(b) - likeness(a))
  return 2 * likeness(near) >= near.length ? near : undefined
}

function readMap(path: string, of: string): Record<string, unknown> {
  let content: unknown
  try {
    content = parse(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)))
  } catch (error) {
    refuseMissing(path, error)
    throw new ConfigError(`${path} cannot be read as YAML or JSON in UTF-8`)
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new ConfigError(`${path} must be a map of ${of}`)
  return content as Record<string, unknown>
}

function readExpected(path: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readMap(path, 'ids to reasons')).map(([id, reason]) => {
      if (typeof reason !== 'string' || reason === '')
        throw new ConfigError(`${path}: ${id} needs a reason; write ${id}: why it fails`)
      return [id, reason]
    }),
  )
}

function readTarget(path: string): Record<string, string | readonly string[]> {
  const members = Object.entries(readMap(path, 'settings')).map(([name, value]) => {
    if (!ofTarget.includes(name)) throw new ConfigError(`${path}: unknown setting ${name}; --help lists all`)
    const lists = flags[name]?.multiple
    if (lists ? !Array.isArray(value) : typeof value === 'object')
      throw new ConfigError(`${path}: ${name} must be ${lists ? 'a list' : 'a string'}`)
    return [name, lists ? (value as unknown[]).map(String) : String(value)] as const
  })
  return Object.fromEntries(members)
}

/** Returns the ids of the cases that failed in a report. */
function failedIn(path: string | undefined): string[] {
  if (path === undefined) return []
  const failed = readReport(path).cases.filter(({ outcome }) =>
    ['fail', 'error', 'warn', 'expected-failure', 'unexpected-pass'].includes(outcome),
  )
  if (failed.length === 0) throw new ConfigError(`${path}: no case failed`)
  return failed.map(({ id }) => id)
}

const one = (value: unknown) => (typeof value === 'string' ? value : undefined)
const list = (value: unknown) => (Array.isArray(value) ? (value as string[]) : [])

function asSkip(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1) throw new ConfigError('--skip takes ID=REASON')
  return [text.slice(0, at), text.slice(at + 1)]
}

function asCapability(name: string): Capability {
  if (!isCapability(name))
    throw new ConfigError(`unknown capability ${name}; known are ${capabilities.join(', ')}`)
  return name
}

function asFeature(name: string): Feature {
  if (!isFeature(name)) throw new ConfigError(`unknown feature ${name}; known are ${features.join(', ')}`)
  return name
}

function choice<T extends string>(name: string, value: string | undefined, all: readonly [T, ...T[]]): T {
  const found = value === undefined ? all[0] : all.find(item => item === value)
  if (found === undefined) throw new ConfigError(`--${name} takes ${all.join(' or ')}`)
  return found
}
