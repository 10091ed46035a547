import { parseArgs } from 'node:util'
import { didYouMean } from '../base/near-names.ts'
import { ConfigError } from './errors.ts'
import type { Flag } from './flag.ts'
import { masterKeyVariables, readSecretFile } from './master-key-variables.ts'
import { flags } from './program-table.ts'

/** The value of a flag or variable: the texts of a list, or one text, or true. */
export type FlagValue = string | boolean | readonly string[] | undefined
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
