import type { Test } from 'tap'
import { Surrogate } from '../../../sdk/src/index.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

export const body = { type: 'token', data: 'a value' } as const
export const noWaits = { sleep: async () => {}, random: () => 0, now: Date.now }

/** The same requests in process and over the wire. */
export async function open(t: Test) {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const clients = (maxRetries: number, timeout = 60_000) =>
    [
      ['in process', new Surrogate({ ...shared(tenant, maxRetries, timeout), fetch: vault.fetch }, noWaits)],
      ['over the wire', new Surrogate({ ...shared(tenant, maxRetries, timeout), baseUrl: url }, noWaits)],
    ] as const
  return { vault, tenant, url, clients, dev: vault.dev.forTenant(tenant) }
}

/** Options of a client of a tenant. */
export const shared = ({ privateKey }: TestTenant, maxRetries: number, timeout: number) => ({
  apiKey: privateKey,
  baseUrl: 'http://vault',
  maxRetries,
  timeout,
})

/** Returns the number of tokens of a tenant. */
export const count = async (tenant: TestTenant) =>
  (await tenant.send('GET', '/tokens')).json.pagination.total_items
