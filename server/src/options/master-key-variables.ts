import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { decodeText } from '../base/utf8.ts'
import { ConfigError } from './errors.ts'

export const keyVariable = 'SURROGATE_MASTER_KEY'
export const keyFileVariable = `${keyVariable}_FILE`
export const newKeyVariable = 'SURROGATE_NEW_MASTER_KEY'

/** Each variable with a key can instead be set with one of these endings, to what has the key. */
const endings = ['', '_FILE', '_COMMAND'] as const

export const masterKeyVariables = [keyVariable, newKeyVariable].flatMap(name =>
  endings.map(ending => name + ending),
)

/** A key management service on the network may take its time, but a start must not hang. */
const commandTimeoutMs = 60_000
const mostBytes = 4096

/**
 * Reads a master key: from the environment variable `name`, from the file that `<name>_FILE` names, or from what the
 * command in `<name>_COMMAND` prints. Returns undefined if none of them is set. Messages do not contain what was read.
 *
 * @throws {ConfigError}
 */
export function readMasterKey(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): Uint8Array | undefined {
  const [first, second] = endings.map(ending => name + ending).filter(variable => environment[variable])
  if (first === undefined) return undefined
  if (second !== undefined) throw new ConfigError(`set either ${first} or ${second}, not both`)
  const given = environment[first] ?? ''
  if (first.endsWith('_FILE')) return decode(readSecretFile(first, given), `the file in ${first}`)
  if (first.endsWith('_COMMAND')) return decode(run(first, given, environment), `what ${first} prints`)
  return decode(given, first)
}

/** Returns the content of a file with a secret, which a variable names. @throws {ConfigError} */
export function readSecretFile(variable: string, path: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new ConfigError(`${variable}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return decodeText(bytes, `${variable}: ${path}`)
}

function run(variable: string, command: string, env: Readonly<Record<string, string | undefined>>): string {
  const { status, signal, error, stdout } = spawnSync(command, {
    shell: true,
    env,
    // What it says of itself is for the operator to see.
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: commandTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: mostBytes,
  })
  if (status === 0 && !error) return decodeText(stdout, `what ${variable} prints`)
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  const reason =
    code === 'ETIMEDOUT'
      ? `did not end within ${commandTimeoutMs / 1000} seconds`
      : code === 'ENOBUFS'
        ? `printed more than ${mostBytes} bytes`
        : `ended with ${code ?? signal ?? `exit code ${status}`}`
  throw new ConfigError(`the command in ${variable} ${reason}`)
}

function decode(text: string, source: string): Uint8Array {
  const trimmed = text.trim()
  const key = Buffer.from(trimmed, 'base64')
  if (key.length !== 32 || key.toString('base64').replaceAll('=', '') !== trimmed.replaceAll('=', ''))
    throw new ConfigError(`${source} must be 32 bytes in base64; make one with: openssl rand -base64 32`)
  return key
}
