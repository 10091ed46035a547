import { parseArgs } from 'node:util'

/** The whole configuration of a server, read once at start. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly storage: string
  readonly bootstrap: string | undefined
  readonly headerPrefix: string
  readonly dev: boolean
  readonly allowPrivateCallbacks: boolean
  readonly formulaAllowOrigins: readonly string[]
  readonly formulaModules: readonly string[]
  readonly corsOrigins: readonly string[] | undefined
  readonly auditRetentionDays: number
  readonly requireIsolation: boolean
  readonly masterKey: Uint8Array | undefined
}

/** A start that cannot succeed: one sentence for the operator, exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export interface Flag {
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly default?: string
  readonly value?: string
  readonly help: string
}

/** Every flag with its default: the one place that knows them. Each is also `SURROGATE_<NAME>`. */
export const flags = [
  { name: 'host', type: 'string', default: '127.0.0.1', value: 'HOST', help: 'address to listen on' },
  {
    name: 'port',
    type: 'string',
    default: '4000',
    value: 'PORT',
    help: 'port to listen on; 0 picks a free one',
  },
  {
    name: 'storage',
    type: 'string',
    default: 'level:./data',
    value: 'URL',
    help: 'level:<folder>, memory: or postgres://…',
  },
  {
    name: 'bootstrap',
    type: 'string',
    value: 'FILE',
    help: 'JSON of tenants and applications, applied at each start',
  },
  {
    name: 'header-prefix',
    type: 'string',
    default: 'SVC',
    value: 'NAME',
    help: 'short name in header names',
  },
  {
    name: 'dev',
    type: 'boolean',
    help: 'test server: development keys, clock and reset endpoints; loopback only',
  },
  {
    name: 'allow-private-callbacks',
    type: 'boolean',
    help: 'allow http and private addresses as callback URLs',
  },
  {
    name: 'formula-allow-origin',
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'origin that formulas may fetch',
  },
  {
    name: 'formula-module',
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'module that formulas may require',
  },
  {
    name: 'cors-origin',
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'origin that browsers may call from',
  },
  {
    name: 'audit-retention',
    type: 'string',
    default: '400',
    value: 'DAYS',
    help: 'days that entries of the audit log are kept',
  },
  {
    name: 'require-isolation',
    type: 'boolean',
    help: 'refuse to start where a layer that holds formulas is missing',
  },
  { name: 'help', type: 'boolean', help: 'print this and leave' },
  { name: 'version', type: 'boolean', help: 'print the version and leave' },
] as const satisfies readonly Flag[]

/** A flag a line, for a help text. */
export function describeFlags(table: readonly Flag[]): string[] {
  return table.map(flag => {
    const left = `  --${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}${flag.multiple ? ' …' : ''}`
    return `${left.padEnd(34)}${flag.help}${flag.default === undefined ? '' : ` (${flag.default})`}`
  })
}

/** @param commands what else there is besides the server: a name and a summary each */
export function helpText(
  commands: readonly { readonly name: string; readonly summary: string }[] = [],
): string {
  return [
    'Usage: surrogate-server [flags]',
    '       surrogate-server <command> [flags]',
    '',
    ...describeFlags(flags),
    '',
    'Commands, on data that no server is using; surrogate-server <command> --help says more:',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(32)}${summary}`),
    '',
    'Each flag is also an environment variable, such as SURROGATE_PORT; lists are comma-separated there.',
    'SURROGATE_MASTER_KEY is the master key: 32 bytes in base64.',
    '',
  ].join('\n')
}

type Environment = Readonly<Record<string, string | undefined>>

export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** What the arguments say, the environment where they do not, and else the defaults. @throws {ConfigError} */
export function readFlags(
  table: readonly Flag[],
  argv: readonly string[],
  environment: Environment,
  operands: readonly string[] = [],
): { readonly values: FlagValues; readonly operands: readonly string[] } {
  const { values, positionals } = fromArguments(table, argv, operands)
  return { values: { ...fromEnvironment(table, environment), ...values }, operands: positionals }
}

/** @throws {ConfigError} */
export function readConfig(
  argv: readonly string[],
  environment: Environment,
): Config & { readonly help: boolean; readonly version: boolean } {
  const { values } = readFlags(flags, argv, environment)
  const text = (name: string) => values[name] as string | undefined
  const list = (name: string) => values[name] as readonly string[] | undefined
  const on = (name: string) => values[name] === true
  const config = {
    host: readHost(text('host') ?? ''),
    port: readPort(text('port') ?? ''),
    storage: text('storage') ?? '',
    bootstrap: text('bootstrap'),
    headerPrefix: readPrefix(text('header-prefix') ?? ''),
    dev: on('dev'),
    allowPrivateCallbacks: on('allow-private-callbacks'),
    formulaAllowOrigins: (list('formula-allow-origin') ?? []).map(readOrigin),
    formulaModules: list('formula-module') ?? [],
    corsOrigins: list('cors-origin')?.map(origin => (origin === '*' ? origin : readOrigin(origin))),
    auditRetentionDays: readDays(text('audit-retention') ?? ''),
    requireIsolation: on('require-isolation'),
    masterKey: readMasterKey(environment, 'SURROGATE_MASTER_KEY'),
    help: on('help'),
    version: on('version'),
  }
  if (config.dev && !isLoopback(config.host)) {
    throw new ConfigError(
      `--dev opens endpoints that need no key, so it listens on loopback only, not on ${config.host}`,
    )
  }
  return Object.freeze(config)
}

function fromArguments(table: readonly Flag[], argv: readonly string[], operands: readonly string[]) {
  const options = Object.fromEntries(
    table.map(flag => [flag.name, { type: flag.type, ...(flag.multiple ? { multiple: true } : {}) }]),
  )
  const allowPositionals = operands.length > 0
  const read = () => {
    try {
      return parseArgs({ args: [...argv], options, strict: true, allowPositionals })
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('.')[0] : 'unreadable arguments'
      throw new ConfigError(`${reason}; surrogate-server --help lists the flags`)
    }
  }
  const { values, positionals } = read()
  if (positionals.length !== operands.length && values.help !== true) {
    throw new ConfigError(`expected ${operands.join(' ')}; surrogate-server --help says more`)
  }
  return { values: values as FlagValues, positionals }
}

function fromEnvironment(table: readonly Flag[], environment: Environment): FlagValues {
  const entries = table
    .filter(flag => flag.name !== 'help' && flag.name !== 'version')
    .map(flag => {
      const name = `SURROGATE_${flag.name.replaceAll('-', '_').toUpperCase()}`
      const given = environment[name]
      if (given === undefined || given === '') return [flag.name, flag.default]
      if (flag.type === 'boolean') return [flag.name, readBoolean(name, given)]
      return [flag.name, flag.multiple ? given.split(',').map(item => item.trim()) : given]
    })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function readBoolean(name: string, text: string): boolean {
  if (['1', 'true'].includes(text)) return true
  if (['0', 'false'].includes(text)) return false
  throw new ConfigError(`${name} must be true or false`)
}

function readHost(text: string): string {
  // Node would take an empty host for every address of the machine.
  if (text.trim() === '') throw new ConfigError('--host must name an address; 0.0.0.0 is every one of them')
  return text
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new ConfigError('--port must be a number from 0 to 65535')
  return port
}

function readDays(text: string): number {
  const days = Number(text)
  if (!/^\d{1,6}$/.test(text) || days < 1) {
    throw new ConfigError('--audit-retention must be a whole number of days from 1 to 999999')
  }
  return days
}

function readPrefix(text: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]{0,31}$/.test(text)) {
    throw new ConfigError('--header-prefix must be 1 to 32 letters and digits and begin with a letter')
  }
  return text
}

function readOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new ConfigError(`an origin looks like https://app.example.com, without a path; ${text} is none`)
  }
  return text
}

/** A master key in a variable of the environment. @throws {ConfigError} */
export function readMasterKey(environment: Environment, name: string): Uint8Array | undefined {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || key.toString('base64').replaceAll('=', '') !== text.trim().replaceAll('=', '')) {
    throw new ConfigError(`${name} must be 32 bytes in base64, as from: openssl rand -base64 32`)
  }
  return key
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
