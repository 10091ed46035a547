import { devFaultsClear, devFaultsList, devFaultsNext } from './generated/operations.gen.ts'
import type { DevFault, DevFaultRequest } from './generated/types.gen.ts'
import type { OperationName } from './operation-name.ts'
import type { DevSend } from './send.ts'
import { refuseUnused } from './used.ts'

/**
 * What a fault matches, and what it does.
 *
 * @example
 * ```ts
 * const outage: FaultOptions = { operation: 'tokens.create', times: 2, status: 503, retryAfter: 1 }
 * ```
 */
export type FaultOptions = Omit<DevFaultRequest, 'retry_after' | 'operation'> & {
  readonly operation?: OperationName | undefined
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number
}

/**
 * What the faults of a scenario match, and the seed that repeats them.
 *
 * @example
 * ```ts
 * const options: ScenarioOptions = { operation: 'tokens.create', seed: 42 }
 * ```
 */
export type ScenarioOptions = Pick<FaultOptions, 'operation' | 'id' | 'application_id' | 'body' | 'seed'>

const scenarios = {
  outage: [{ status: 503, retryAfter: 0 }],
  flaky: [
    { rate: 0.1, status: 503, retryAfter: 0 },
    { rate: 0.1, status: 502 },
    { rate: 0.1, drop: 'after' },
  ],
  slow: [{ latency: 500, bytes_per_second: 5000 }],
} satisfies Readonly<Record<string, readonly FaultOptions[]>>

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
    return this.#send(devFaultsNext, { body })
  }

  /**
   * Lets requests fail as in a kind of incident, until `clear`. `outage`: all are a 503. `flaky`: of ten about one is a 503,
   * one a 502, and of one the response is lost after the work was done, by `seed`. `slow`: each takes half a second longer,
   * and bodies come with 5,000 bytes a second.
   * @throws {TypeError} for another name
   * @example
   * ```ts
   * await dev.faults.scenario('flaky', { operation: 'tokens.create', seed: 42 })
   * ```
   */
  async scenario(name: keyof typeof scenarios, options: ScenarioOptions = {}): Promise<void> {
    if (!Object.hasOwn(scenarios, name))
      throw new TypeError(`the scenario must be one of ${Object.keys(scenarios).join(', ')}`)
    const { seed = 0, ...matching } = options
    for (const [at, fault] of scenarios[name].entries())
      await this.next({ rate: 1, ...fault, ...matching, seed: seed + at })
  }

  /** Returns the faults and how often each was used, oldest first. */
  async list(): Promise<readonly DevFault[]> {
    return (await this.#send(devFaultsList)).data
  }

  /** Removes all faults. */
  async clear(): Promise<void> {
    await this.#send(devFaultsClear)
  }

  /**
   * Throws a `DevAssertionError` that names each fault that was not used as often as it was ordered, or if none was ordered
   * or used: faults with a `rate` have no number of times.
   */
  async assertUsed(): Promise<void> {
    const ordered = (await this.list()).map(({ fault, used, left }) => ({
      used,
      left,
      shown: JSON.stringify(fault),
    }))
    refuseUnused('fault', ordered, true)
  }
}
