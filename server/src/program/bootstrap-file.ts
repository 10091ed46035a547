import { readFile, stat } from 'node:fs/promises'
import { isatty } from 'node:tty'
import { JsonError, type JsonValue, parseJson } from '../base/json/json.ts'
import { describeError, type Log } from '../base/log.ts'
import { decodeText } from '../base/utf8.ts'
import { ConfigError } from '../options/errors.ts'
import type { Vault } from '../vault.ts'
import { explain } from './refusals.ts'

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

/**
 * Applies the bootstrap file again at each SIGHUP, one at a time. A file that cannot be used is one line of the log. The
 * end of the terminal that the server was started in is the same signal, and ends the server. Returns a function that stops
 * this.
 */
export function reloadOnHangup(vault: Pick<Vault, 'reload'>, path: string | undefined, log: Log): () => void {
  const hasTerminal = isatty(1)
  let last = Promise.resolve()
  const reload = async () => {
    if (path === undefined) return log.warn('nothing to reload, as there is no bootstrap file')
    try {
      await vault.reload(await readBootstrapFile(path))
      log.info('reload', { file: path })
    } catch (error) {
      const reason = explain(error)
      log.error('reload refused', reason === undefined ? describeError(error) : { reason })
    }
  }
  const onHangup = () => {
    if (hasTerminal && !isatty(1)) process.kill(process.pid, 'SIGTERM')
    else last = last.then(reload)
  }
  process.on('SIGHUP', onHangup)
  return () => process.off('SIGHUP', onHangup)
}
