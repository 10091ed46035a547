import { devFaultsAdd, devFaultsClear, devFaultsList } from './generated/operations.gen.ts'
import type { DevFault, DevFaultRequest } from './generated/types.gen.ts'
import type { DevSend } from './send.ts'

/**
 * What a fault matches, and what it does.
 *
 * @example
 * ```ts
 * const outage: FaultOptions = { operation: 'tokens.create', times: 2, status: 503, retryAfter: 1 }
 * ```
 */
export type FaultOptions = Omit<DevFaultRequest, 'retry_after'> & {
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number
}

/**
 * Lets requests, deliveries and formulas of one tenant fail.
 *
 * @example
 * ```ts
 * const faults: DevFaults = dev.faults
 * await faults.next({ operation: 'tokens.create', drop: 'after' })
 * ```
 */
export class DevFaults {
  readonly #send: DevSend

  /** @internal */
  constructor(send: DevSend) {
    this.#send = send
  }

  /** Lets the next request, delivery or formula that matches fail, once or `times` times. */
  async next({ retryAfter, ...fault }: FaultOptions): Promise<DevFault> {
    const body = retryAfter === undefined ? fault : { ...fault, retry_after: retryAfter }
    return this.#send(devFaultsAdd, { body })
  }

  /** Returns the faults and how often each was used, oldest first. */
  async list(): Promise<readonly DevFault[]> {
    return (await this.#send(devFaultsList)).data
  }

  /** Removes all faults. */
  async clear(): Promise<void> {
    await this.#send(devFaultsClear)
  }

  /** Throws an `Error` that names each fault that was not used as often as it was ordered. */
  async assertUsed(): Promise<void> {
    const unused = (await this.list()).filter(({ left }) => left > 0)
    if (unused.length === 0) return
    const lines = unused.map(
      ({ fault, used, left }) => `  ${JSON.stringify(fault)}: used ${used} of ${used + left} times`,
    )
    throw new Error(`these faults were not used:\n${lines.join('\n')}`)
  }
}
