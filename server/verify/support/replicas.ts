import type { VaultOptions } from '../../src/options/vault-options.ts'
import type { Vault } from '../../src/vault.ts'
import { openSchema } from './postgres.ts'
import { newMasterKey } from './stores.ts'
import { openVault } from './vault.ts'

/** Opens two independent servers in this process, on one database. */
export async function openReplicas(
  t: { teardown(task: () => unknown): void },
  options: VaultOptions = {},
): Promise<{ readonly vaults: readonly [Vault, Vault] }> {
  const shared = { developmentTenant: false, storage: await openSchema(t), masterKey: newMasterKey() }
  const open = () => openVault(t, { ...shared, ...options })
  return { vaults: [open(), open()] }
}
