import { readFile, stat } from 'node:fs/promises'
import { JsonError, type JsonValue, parseJson } from '../base/json/json.ts'
import { decodeText } from '../base/utf8.ts'
import { ConfigError } from './config-error.ts'

const largestBootstrap = 64_000_000

/** @throws {ConfigError} */
export async function readBootstrapFile(path: string): Promise<JsonValue> {
  const unreadable = () => {
    throw new ConfigError(`the bootstrap file ${path} cannot be read`)
  }
  const { size } = await stat(path).catch(unreadable)
  if (size > largestBootstrap) {
    throw new ConfigError(`the bootstrap file ${path} must not be larger than ${largestBootstrap} bytes`)
  }
  const bytes = await readFile(path).catch(unreadable)
  try {
    return parseJson(decodeText(bytes, `the bootstrap file ${path}`))
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ConfigError(`the bootstrap file ${path} ${error.message} (at character ${error.offset})`)
  }
}
