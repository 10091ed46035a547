import { rootTenant } from '../keys/keyring.ts'
import type { TestEngine } from '../port/port.ts'
import type { Records } from './records.ts'

/** What tests do with all records, or with those of a tenant. */
export class TestRecords {
  readonly #records: Records
  readonly #engine: TestEngine

  constructor(records: Records, engine: TestEngine) {
    this.#records = records
    this.#engine = engine
  }

  /** Removes everything. What was opened before, or meanwhile, is not available any more. */
  async clear(): Promise<void> {
    this.#records.forget()
    await this.#engine.clear()
    this.#records.forget()
  }

  /**
   * Returns a function that puts the records of a tenant back, or returns false if the store was emptied since, and with
   * it the keys of the tenant; `undefined` if the engine cannot do this.
   */
  snapshot(tenant: string): (() => boolean) | undefined {
    const restore = this.#engine.snapshot(tenant, rootTenant)
    const { epoch } = this.#records
    return (
      restore &&
      (() => {
        if (epoch !== this.#records.epoch) return false
        restore()
        this.#records.forgetOpened()
        return true
      })
    )
  }
}
