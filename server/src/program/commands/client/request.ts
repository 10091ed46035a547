import { readFile } from 'node:fs/promises'
import { JsonError, type JsonObject, type JsonValue, parseJson } from '../../../base/json/json.ts'
import type { QueryParameter } from '../../../contract/contract.ts'
import { type Flag, type FlagValues, flags, helpFlag, textFlag } from '../../config.ts'
import { ConfigError } from '../../config-error.ts'
import type { ClientOperation } from './operations.ts'

/** Flags that say which server is asked, and how. */
export const serverFlags: readonly Flag[] = [
  textFlag('url', 'URL', 'address of the server', 'http://127.0.0.1:4000'),
  ...flags.filter(({ name }) => name === 'header-prefix'),
]

/** Flags of every operation. */
const common: readonly Flag[] = [
  ...serverFlags,
  { ...textFlag('trace-id', 'TEXT', "identifies the request in the server's log"), isOfCall: true },
  { name: 'json', type: 'boolean', help: 'print the response as JSON', isOfCall: true },
  helpFlag,
]

const dataFlag: Flag = {
  ...textFlag('data', 'JSON', 'the body: JSON, @FILE, or - for standard input'),
  isOfCall: true,
}

const idempotencyFlag: Flag = {
  ...textFlag('idempotency-key', 'TEXT', 'your own id for this request, so that it is done once'),
  isOfCall: true,
}

const valueNames = { integer: 'N', list: 'VALUE', map: 'KEY=VALUE', text: 'TEXT' } as const

/** @param describe returns the meaning of a query parameter */
export function flagsOf(
  { facts }: ClientOperation,
  describe: (parameter: string) => string = () => '',
): readonly Flag[] {
  const ofQuery = facts.queryParameters.map(({ name, kind }): Flag => {
    const isList = kind === 'list' || kind === 'map'
    const flag = textFlag(name.replaceAll('_', '-'), valueNames[kind], describe(name))
    return { ...flag, isOfCall: true, ...(isList ? { multiple: true } : {}) }
  })
  return [
    ...(facts.bodyType === undefined ? [] : [dataFlag]),
    ...ofQuery,
    ...(facts.idempotent ? [idempotencyFlag] : []),
    ...common,
  ]
}

/** Returns the query of a request. @throws {ConfigError} */
export function queryOf({ facts }: ClientOperation, values: FlagValues): JsonObject {
  const given = facts.queryParameters.flatMap(parameter => {
    const value = values[parameter.name.replaceAll('_', '-')]
    return value === undefined || typeof value === 'boolean' ? [] : [[parameter.name, read(parameter, value)]]
  })
  return Object.fromEntries(given)
}

function read({ name, kind }: QueryParameter, value: string | readonly string[]): JsonValue {
  if (kind === 'list') return [...value]
  if (kind !== 'map') return value as string
  const pairs = [...value].map(pair => {
    const at = pair.indexOf('=')
    if (at < 1) throw new ConfigError(`--${name} takes KEY=VALUE, such as --${name} customer=c_1001`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  return Object.fromEntries(pairs)
}

/** Standard input: its bytes, and whether a person types them. */
export type Input = AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean }

/** The contract's bodies are smaller. */
const mostBytes = 16_000_000

/** Returns the body of a request, from `--data` or standard input. @throws {ConfigError} */
export async function bodyOf(
  { facts }: ClientOperation,
  values: FlagValues,
  input: Input,
): Promise<JsonValue | undefined> {
  if (facts.bodyType === undefined) return undefined
  const data = values.data as string | undefined
  const isAsked = data === '-' || (data === undefined && facts.bodyRequired && input.isTTY !== true)
  if (data === undefined && !isAsked) {
    if (!facts.bodyRequired) return undefined
    throw new ConfigError('this operation needs a body: --data JSON, --data @FILE, or standard input')
  }
  const text = isAsked ? await textOf(input) : data?.startsWith('@') ? await fileOf(data.slice(1)) : data
  try {
    return parseJson(text ?? '')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ConfigError(`--data ${error.message} (at character ${error.offset})`)
  }
}

async function textOf(input: Input): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of input) {
    const bytes = Buffer.from(part as string)
    length += bytes.length
    if (length > mostBytes) throw new ConfigError(`standard input must not have more than ${mostBytes} bytes`)
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString()
}

const fileOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new ConfigError(`the file ${path} of --data cannot be read`)
  })
