import { isatty } from 'node:tty'
import { describeError, type Log } from '../base/log.ts'
import type { Vault } from '../vault.ts'
import { readBootstrapFile } from './bootstrap-file.ts'
import { explain } from './refusals.ts'

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
