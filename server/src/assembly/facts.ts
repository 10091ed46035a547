import type { NewTenant } from '../access/tenant-settings.ts'
import type { Isolation } from '../sandbox/processes/isolation.ts'

/** Facts about a vault that has started. */
export interface VaultFacts {
  /** The tenant whose keys are kept across restarts, if there is one. */
  readonly development?: NewTenant
  /** The file in which this start made a development master key. */
  readonly madeMasterKey?: string
  /** The file that holds the master key, if the vault was not given one. */
  readonly masterKeyFile?: string
  /**
   * With `warmFormulas`: how the processes of formulas are isolated, or `none` if none can be started. Is known soon after a
   * port was opened; stays pending if the vault closes before.
   */
  readonly isolation?: Promise<Isolation | 'none'>
}
