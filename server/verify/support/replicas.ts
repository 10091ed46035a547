import type { NewTenant } from '../../src/access/tenants.ts'
import type { VaultParts } from '../../src/assembly/stores.ts'
import type { Vault } from '../../src/vault.ts'
import type { VaultOptions } from '../../src/vault-options.ts'
import { openSchema } from './postgres.ts'
import { newMasterKey } from './stores.ts'
import { openTenant, openVault, sender, type TestTenant } from './vault.ts'

/** A tenant's requests to one of several servers. */
export type SeenTenant = Omit<TestTenant, 'application'>

/** Two independent servers in this process, on one database. */
export interface Replicas {
  readonly vaults: readonly [Vault, Vault]
  /** Creates a tenant. Returns it for requests to the server that created it, and to the other one. */
  tenant(): Promise<readonly [TestTenant, SeenTenant]>
}

export async function openReplicas(
  t: { teardown(task: () => unknown): void },
  options: VaultOptions = {},
  parts?: VaultParts,
): Promise<Replicas> {
  const shared = { developmentTenant: false, storage: await openSchema(t), masterKey: newMasterKey() }
  const open = () => openVault(t, { ...shared, ...options }, parts)
  const vaults = [open(), open()] as const
  return {
    vaults,
    tenant: async () => {
      const tenant = await openTenant(vaults[0])
      return [tenant, seenBy(vaults[1], tenant)]
    },
  }
}

function seenBy(vault: Vault, tenant: NewTenant): SeenTenant {
  const as = (key: string | undefined) => sender(vault, key)
  return {
    ...tenant,
    as,
    send: as(tenant.privateKey),
    asPublic: as(tenant.publicKey),
    asManagement: as(tenant.managementKey),
  }
}
