import type { UnderWay } from '../http/pipeline/core.ts'

interface Work {
  readonly idleness: UnderWay
  /** Resolves when everything that is due is done. */
  catchUp(): Promise<void>
  /** Counts the deliveries that are due later. */
  later(): Promise<number>
}

/**
 * Resolves when no request, job, delivery, sweep or formula is running or due, with the number of deliveries that are
 * due later.
 */
export async function settled({ idleness, catchUp, later }: Work): Promise<number> {
  for (;;) {
    await idleness.idle()
    await catchUp()
    // A job may have been accepted meanwhile.
    if (idleness.isIdle) return later()
  }
}
