import { ConfigError, type Environment, readMasterKey } from '../config.ts'
import { readDevelopmentMasterKey } from '../storage/keys/master-key.ts'

export const keyVariable = 'SURROGATE_MASTER_KEY'
export const newKeyVariable = 'SURROGATE_NEW_MASTER_KEY'

export interface FoundMasterKey {
  readonly key: Uint8Array
  /** True if it comes from `master.key` in the data folder. */
  readonly fromFile: boolean
}

/** Finds the master key of an existing store: in the environment, or else in its data folder. @throws {ConfigError} */
export async function findMasterKey(
  environment: Environment,
  folder: string | undefined,
): Promise<FoundMasterKey> {
  const given = readMasterKey(environment, keyVariable)
  if (given) return { key: given, fromFile: false }
  const key = folder === undefined ? undefined : await readDevelopmentMasterKey(folder)
  if (key) return { key, fromFile: true }
  throw new ConfigError(`there is no master key: set ${keyVariable} to the key of the store`)
}
