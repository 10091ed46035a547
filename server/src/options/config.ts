import type { JsonObject } from '../base/json/json.ts'
import { type Environment, type FlagValue, readFlags } from './arguments.ts'
import { faultOf, itemsOf } from './check.ts'
import { ConfigError } from './errors.ts'
import type { Flag } from './flag.ts'
import { keyFileVariable, keyVariable, readMasterKey } from './master-key-variables.ts'
import { flags, type ProgramOptions, programOptions } from './program-table.ts'
import { options } from './table.ts'
import type { VaultOptions } from './vault-options.ts'

/** Options as flags give them. */
interface FlagOptions extends Omit<VaultOptions, 'bootstrap'> {
  /** The path of the file. */
  readonly bootstrap?: string
}

/** The whole configuration of a server, read once at start. An option that is not given is absent. */
export interface Config extends ProgramOptions, FlagOptions {
  /** The file that the key was read from, if it was. */
  readonly masterKeyFile?: string
}

/** @throws {ConfigError} */
export function readConfig(argv: readonly string[], environment: Environment): Config {
  const { values } = readFlags(flags, argv, environment)
  const all = Object.entries({ ...options, ...programOptions })
  const read = Object.fromEntries(
    all.flatMap(([name, { flag, schema }]) =>
      flag && values[flag.name] !== undefined ? [[name, readOption(flag, schema, values[flag.name])]] : [],
    ),
  ) as unknown as Config
  const file = environment[keyFileVariable]
  const key = read.help || read.version ? undefined : readMasterKey(environment, keyVariable)
  const config = {
    ...read,
    ...(file ? { masterKeyFile: file } : {}),
    ...(key ? { masterKey: key } : {}),
  }
  refuseConflicts(config)
  return Object.freeze(config)
}

/** Returns the value of a flag as the schema has it. @throws {ConfigError} */
function readOption(
  { name, multiple, default: initial }: Flag,
  schema: JsonObject,
  given: FlagValue,
): unknown {
  const flag = `--${name}`
  const refuseFault = (schema: JsonObject, value: unknown) => {
    // A check takes a millisecond at first, and the defaults are ours.
    const fault = given === initial ? undefined : faultOf(flag, schema, value)
    if (fault !== undefined) throw new ConfigError(fault)
  }
  if (schema.type === 'object') {
    const pairs = readPairs(flag, given as readonly string[])
    refuseFault({ ...schema, 'x-expected': mapped }, pairs)
    return pairs
  }
  if (multiple) {
    for (const one of given as readonly string[]) refuseFault(itemsOf(schema), one)
    return given
  }
  const value = schema.type === 'integer' && /^\d{1,9}$/.test(`${given}`) ? Number(given) : given
  refuseFault(schema, value)
  return value
}

const mapped = 'two origins, without paths, such as https://api.example.com=http://localhost:9000'

/** @throws {ConfigError} */
function readPairs(flag: string, texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>()
  for (const text of texts) {
    const [from = '', to, ...more] = text.split('=')
    if (to === undefined || more.length > 0)
      throw new ConfigError(`${flag} must be ${mapped}; ${JSON.stringify(text)} is not`)
    if (pairs.has(from)) throw new ConfigError(`${flag} maps ${from} twice`)
    pairs.set(from, to)
  }
  return Object.fromEntries(pairs)
}

/** Refuses options that do not go together. @throws {ConfigError} */
function refuseConflicts({ dev, devToken, host, port, metricsPort, metricsHost }: Config): void {
  if (devToken !== undefined && !dev) throw new ConfigError('--dev-token needs --dev')
  if (dev && devToken === undefined && !isLoopback(host)) {
    throw new ConfigError(
      `--dev opens endpoints that need no key, so --host must be a loopback address, or set --dev-token; ${host} is not one`,
    )
  }
  if (port !== 0 && port === metricsPort && overlap(host, metricsHost)) {
    throw new ConfigError(`--port and --metrics-port are both ${port}; choose another for one of them`)
  }
}

/** The options of a vault in a configuration. */
export function optionsOf(config: Config): FlagOptions {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name in options))
}

/** True if a server cannot listen on a port of both hosts: they are the same, or one stands for every address. */
function overlap(host: string, other: string): boolean {
  return host === other || [host, other].some(one => one === '0.0.0.0' || one === '::')
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
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
