import type { Log } from '../base/log.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import type { FormulaSandbox } from '../sandbox/formula-sandbox.ts'
import type { Isolation } from '../sandbox/processes/isolation.ts'
import type { Closers } from './closers.ts'

/** The real time from the opening of a port to the start of processes for formulas, unless a formula needs one earlier. */
const warmAfterMs = 100

interface Warming {
  /** To be called when a port is open. */
  listening(): void
  readonly isolation: Promise<Isolation | 'none'>
}

/**
 * Starts processes for formulas soon after the first port is open: starting them takes this one 15 ms, and its own start and
 * its first answers come before.
 */
export function warmLater(sandbox: FormulaSandbox, log: Log, closers: Closers): Warming {
  let listening = () => {}
  let warming: NodeJS.Timeout | undefined
  closers.add(() => clearTimeout(warming))
  const isolation = new Promise<Isolation | 'none'>(resolve => {
    listening = () => {
      // Once, however many ports are opened. A process that would end need not wait for it.
      warming ??= setTimeout(() => resolve(warmFormulas(sandbox, log)), warmAfterMs).unref()
    }
  })
  return { listening: () => listening(), isolation }
}

/**
 * Starts processes for formulas. Resolves with their isolation, or with `none` if no process can be started: the
 * server can do everything else.
 */
async function warmFormulas(sandbox: FormulaSandbox, log: Log): Promise<Isolation | 'none'> {
  try {
    const isolation = await sandbox.start()
    sandbox.warm().catch(() => log.error('no process for formulas can be started'))
    return isolation
  } catch {
    // Of modules that are refused, `ready` tells.
    return 'none'
  }
}
