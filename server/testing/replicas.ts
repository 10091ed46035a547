import type { NewTenant } from '../src/access/tenants.ts'
import type { VaultParts } from '../src/assembly/parts.ts'
import type { Vault } from '../src/vault.ts'
import type { VaultOptions } from '../src/vault-options.ts'
import { openSchema } from './postgres.ts'
import { newMasterKey } from './stores.ts'
import { openTenant, openVault, sender, type TestTenant } from './vault.ts'

/** What a tenant's requests are by any of several servers. */
export type SeenTenant = Omit<TestTenant, 'application'>

/** Two servers in this process, each with all that a server has of its own, on one database. */
export interface Replicas {
  readonly vaults: readonly [Vault, Vault]
  /** A tenant by the server that made it, and by the other. */
  tenant(): Promise<readonly [TestTenant, SeenTenant]>
  /** Moves the time of both at once. */
  advance(ms: number): Promise<void>
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
    advance: async ms => {
      await Promise.all(vaults.map(vault => vault.clock.advance(ms)))
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
