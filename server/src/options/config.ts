import { parseArgs } from 'node:util'
import { type LogLevel, logLevels } from '../base/log.ts'
import { didYouMean } from '../base/near-names.ts'
import { ConfigError } from './errors.ts'
import { booleanFlag, type Flag, textFlag } from './flag.ts'
import type { FlagValue } from './kinds.ts'
import {
  keyFileVariable,
  keyVariable,
  masterKeyVariables,
  readMasterKey,
  readSecretFile,
} from './master-key-variables.ts'
import { options } from './table.ts'
import type { VaultOptions } from './vault-options.ts'

export const helpFlag = booleanFlag('help', 'print this help and exit')

/** All flags and their defaults. Each is also an environment variable `SURROGATE_<NAME>`. */
export const flags: readonly Flag[] = [
  textFlag('host', 'HOST', 'address to listen on', '127.0.0.1'),
  textFlag('port', 'PORT', 'port to listen on; 0 picks a free one', '4000'),
  ...Object.values(options).flatMap(({ flag }) => flag ?? []),
  textFlag('log-level', 'LEVEL', 'error, warn or info; info has a line for each request', 'warn'),
  textFlag('metrics-port', 'PORT', 'port for /metrics; keep it from strangers, as it asks for no key'),
  textFlag('metrics-host', 'HOST', 'address of that port', '127.0.0.1'),
  textFlag('drain-seconds', 'N', 'time between a signal and the end of listening', '0'),
  textFlag('ready-file', 'FILE', 'when ready, write address, keys and process id as JSON'),
  booleanFlag('json', 'print the ready line as JSON'),
  helpFlag,
  booleanFlag('version', 'print the version and exit'),
]

export type Environment = Readonly<Record<string, string | undefined>>

export type FlagValues = Readonly<Record<string, FlagValue>>

/**
 * Reads flags from the arguments, then the environment, then the defaults.
 * @param command the words that come before the arguments
 * @throws {ConfigError}
 */
export function readFlags(
  table: readonly Flag[],
  argv: readonly string[],
  environment: Environment,
  operands: readonly string[] = [],
  command: readonly string[] = [],
): { readonly values: FlagValues; readonly operands: readonly string[] } {
  const { values, positionals } = fromArguments(table, argv, operands, command)
  return { values: { ...fromEnvironment(table, environment), ...values }, operands: positionals }
}

/** @throws {ConfigError} */
export function readConfig(argv: readonly string[], environment: Environment) {
  const { values } = readFlags(flags, argv, environment)
  const text = (name: string) => values[name] as string | undefined
  const on = (name: string) => values[name] === true
  const config = {
    ...readOptions(values),
    host: readHost('--host', text('host') ?? ''),
    port: readPort('--port', text('port') ?? ''),
    readyFile: text('ready-file'),
    json: on('json'),
    logLevel: readLevel(text('log-level') ?? ''),
    // `undefined` if metrics are not kept.
    metricsPort: readOptional(text('metrics-port'), given => readPort('--metrics-port', given)),
    metricsHost: readHost('--metrics-host', text('metrics-host') ?? ''),
    drainSeconds: readSeconds(text('drain-seconds') ?? ''),
    // The file that the key was read from, if it was.
    masterKeyFile: environment[keyFileVariable] || undefined,
    masterKey: on('help') || on('version') ? undefined : readMasterKey(environment, keyVariable),
    help: on('help'),
    version: on('version'),
  }
  if (config.devToken !== undefined && !config.dev) throw new ConfigError('--dev-token needs --dev')
  if (config.dev && config.devToken === undefined && !isLoopback(config.host)) {
    throw new ConfigError(
      `--dev opens endpoints that need no key, so --host must be a loopback address, or set --dev-token; ${config.host} is not one`,
    )
  }
  const { port, metricsPort, host, metricsHost } = config
  if (port !== 0 && port === metricsPort && overlap(host, metricsHost)) {
    throw new ConfigError(`--port and --metrics-port are both ${port}; choose another for one of them`)
  }
  return Object.freeze(config)
}

/** Options as flags give them; the bootstrap file is a path. */
type FlagOptions = Omit<
  { readonly [Name in keyof VaultOptions]: VaultOptions[Name] | undefined },
  'bootstrap'
> & {
  readonly bootstrap: string | undefined
}

function readOptions(values: FlagValues): FlagOptions {
  const read = Object.entries(options).flatMap(([name, { flag, ofFlag }]) =>
    flag ? [[name, ofFlag?.(values[flag.name], `--${flag.name}`)]] : [],
  )
  return Object.fromEntries(read)
}

/** The options of a configuration. */
export function optionsOf(config: Config): FlagOptions {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name in options)) as FlagOptions
}

/** The whole configuration of a server, read once at start. */
export type Config = ReturnType<typeof readConfig>

/** True if a server cannot listen on a port of both hosts: they are the same, or one stands for every address. */
function overlap(host: string, other: string): boolean {
  return host === other || [host, other].some(one => one === '0.0.0.0' || one === '::')
}

function fromArguments(
  table: readonly Flag[],
  argv: readonly string[],
  operands: readonly string[],
  command: readonly string[],
) {
  const help = ['surrogate-server', ...command, '--help'].join(' ')
  const options = Object.fromEntries(
    table.map(flag => [flag.name, { type: flag.type, ...(flag.multiple ? { multiple: true } : {}) }]),
  )
  const allowPositionals = operands.length > 0
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals })
    const isList = operands.at(-1)?.endsWith('…') && positionals.length > operands.length
    if (positionals.length === operands.length || isList || values.help === true) {
      return { values: values as FlagValues, positionals }
    }
  } catch (error) {
    const reason =
      error instanceof Error ? (error.message.split('.')[0] ?? '') : 'the arguments cannot be read'
    const unknown = /^Unknown option '--([^']+)'/.exec(reason)?.[1]
    const near = unknown === undefined ? '' : didYouMean(unknown, Object.keys(options), '--')
    throw new ConfigError(`${reason}${near || ';'} ${help} lists the flags`)
  }
  throw new ConfigError(`expected ${operands.join(' ') || 'no arguments'}; ${help} shows how to use it`)
}

const variableOf = (flag: string) => `SURROGATE_${flag.replaceAll('-', '_').toUpperCase()}`

function fromEnvironment(table: readonly Flag[], environment: Environment): FlagValues {
  const settings = table.filter(flag => flag.name !== 'help' && flag.name !== 'version')
  refuseMisspelled(settings, environment)
  const entries = settings.map(flag => {
    const name = variableOf(flag.name)
    const given = flag.isSecret ? secretOf(name, environment) : settingOf(name, environment)
    if (given === undefined || given === '') return [flag.name, flag.default]
    if (flag.type === 'boolean') return [flag.name, readBoolean(name, given)]
    return [flag.name, flag.multiple ? given.split(',').map(item => item.trim()) : given]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function settingOf(name: string, environment: Environment): string | undefined {
  return isServiceLink(name, environment[name]) ? undefined : environment[name]
}

/** Returns the value of a variable, or the content of the file that `<name>_FILE` names. @throws {ConfigError} */
function secretOf(name: string, environment: Environment): string | undefined {
  const [given, file] = [environment[name], environment[`${name}_FILE`]]
  if (!file) return given
  if (given) throw new ConfigError(`set either ${name} or ${name}_FILE, not both`)
  return readSecretFile(`${name}_FILE`, file).trim()
}

/**
 * True for the variable `SURROGATE_PORT=tcp://10.0.0.1:4000`, which Kubernetes sets in every container of a namespace that
 * has a service of the name `surrogate`, and for `SURROGATE_METRICS_PORT` with a service `surrogate-metrics`. No port looks
 * like that, so it is not a mistake of the operator.
 */
function isServiceLink(name: string, value = ''): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\/[\d.[\]:a-fA-F]+$/.test(value)
}

/** Refuses variables that are nearly one of ours. Others may belong to other programs, such as a client's key. */
function refuseMisspelled(table: readonly Flag[], environment: Environment): void {
  const known = [...flags, ...table].flatMap(({ name, isSecret }) => {
    const variable = variableOf(name)
    return isSecret ? [variable, `${variable}_FILE`] : [variable]
  })
  const names = [...new Set([...known, ...masterKeyVariables])].map(name => name.slice('SURROGATE_'.length))
  for (const variable of Object.keys(environment)) {
    const [, name] = /^SURROGATE_(.+)$/.exec(variable) ?? []
    if (name === undefined || names.includes(name) || environment[variable] === '') continue
    const near = didYouMean(name, names, 'SURROGATE_')
    if (near !== '') throw new ConfigError(`unknown environment variable ${variable}${near}`)
  }
}

function readBoolean(name: string, text: string): boolean {
  if (['1', 'true'].includes(text)) return true
  if (['0', 'false'].includes(text)) return false
  throw new ConfigError(`${name} must be true or false`)
}

function readHost(flag: string, text: string): string {
  // Node would listen on every address of the machine.
  if (text.trim() === '') throw new ConfigError(`${flag} must name an address; use 0.0.0.0 for all addresses`)
  return text
}

function readPort(flag: string, text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new ConfigError(`${flag} must be a number from 0 to 65535`)
  return port
}

function readOptional<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text)
}

function readLevel(text: string): LogLevel {
  const level = logLevels.find(one => one === text)
  if (level === undefined) throw new ConfigError(`--log-level must be ${logLevels.join(', ')}`)
  return level
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d{1,4}$/.test(text) || seconds > 3600)
    throw new ConfigError('--drain-seconds must be a whole number from 0 to 3600')
  return seconds
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/**
 * Refuses arguments, and variables for this program, that are not UTF-8. Node has put U+FFFD in the place of such bytes
 * before any code runs.
 * @throws {ConfigError}
 */
export function refuseAltered(argv: readonly string[], environment: NodeJS.ProcessEnv): void {
  const given = [
    ...argv.map((text, index) => [`argument ${index + 1}`, text] as const),
    ...Object.entries(environment).filter(([name]) => name.startsWith('SURROGATE_')),
  ]
  for (const [name, text = ''] of given) {
    const at = text.indexOf('\ufffd')
    if (at >= 0) throw new ConfigError(`${name} is not UTF-8 (at character ${at})`)
  }
}

/** Returns one line per flag, for a help text. */
export function describeFlags(table: readonly Flag[]): string[] {
  return table.map(flag => {
    const left = `  --${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}${flag.multiple ? ' …' : ''}`
    return `${left.padEnd(34)}${flag.help}${flag.default === undefined ? '' : ` (${flag.default})`}`
  })
}

export function helpText(
  commands: readonly { readonly name: string; readonly summary: string }[] = [],
): string {
  return [
    'Usage: surrogate-server [flags]',
    '       surrogate-server <command> [flags]',
    '',
    ...describeFlags(flags),
    '',
    'Commands (surrogate-server <command> --help shows details, and whether servers have to be stopped):',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(32)}${summary}`),
    '',
    'Each flag can be set by an environment variable, such as SURROGATE_PORT; lists are comma-separated.',
    'SURROGATE_MASTER_KEY is the master key: 32 bytes in base64 (openssl rand -base64 32).',
    'Or name what has it: SURROGATE_MASTER_KEY_FILE, a file; SURROGATE_MASTER_KEY_COMMAND, a command that prints it.',
    '',
  ].join('\n')
}
