import { type Answering, openReceiver, type Receiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { VaultParts } from '../assembly/vault-parts.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import type { Vault } from '../vault.ts'

export const target = 'https://api.example.com'

interface Opened {
  readonly vault: Vault
  readonly tenant: TestTenant
  readonly receiver: Receiver
  /** Creates a token with this data and returns its id. */
  token(data: unknown): Promise<string>
}

/** Opens a vault whose `/proxy` reaches a receiver under another origin. */
export async function openProxy(
  t: { teardown(task: () => unknown): void },
  answer?: Answering,
  parts: VaultParts = {},
  options: VaultOptions = {},
): Promise<Opened> {
  const receiver = await openReceiver(t, answer)
  const vault = openVault(t, { proxyMapOrigins: { [target]: receiver.origin }, ...options }, parts)
  const tenant = await openTenant(vault)
  return {
    vault,
    tenant,
    receiver,
    token: async data =>
      (await tenant.send('POST', '/tokens', { type: 'token', data: data as string })).json.id,
  }
}
