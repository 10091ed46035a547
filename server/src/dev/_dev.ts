import { Dev as SdkDev } from '../../../sdk/src/dev/index.ts'
import { Surrogate } from '../../../sdk/src/index.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import type { Vault } from '../vault.ts'

export const number = '4242424242424242'

/** Opens a development vault with a tenant, and what tests do with it. */
export async function openDev(...given: Parameters<typeof openVault>) {
  const vault = openVault(...given)
  const tenant = await openTenant(vault)
  return { vault, tenant, dev: vault.dev.forTenant(tenant) }
}

/** The same calls for a tenant, in process and over the wire. */
export async function devsOf(vault: Vault, { managementKey }: Pick<TestTenant, 'managementKey'>) {
  const { url } = await vault.listen()
  const wire = new SdkDev({ baseUrl: url, managementKey })
  return [
    ['in process', vault.dev.forTenant({ managementKey })],
    ['over the wire', wire],
  ] as const
}

/** The same requests in process and over the wire, to a URL that both take. */
export async function waysTo(vault: Vault) {
  const { url } = await vault.listen()
  const ways = [
    ['in process', vault.fetch],
    ['over the wire', fetch],
  ] as const
  return { url, ways }
}

/** The same with clients that do not wait before they repeat, and requests whose results count. */
export async function openClients(t: Parameters<typeof openVault>[0]) {
  const opened = await openDev(t)
  const { tenant, vault } = opened
  const { url, ways } = await waysTo(vault)
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' }
  return {
    ...opened,
    ways,
    url,
    headers,
    client: (fetched: typeof fetch, maxRetries = 0, timeout = 60_000) =>
      new Surrogate(
        { apiKey: tenant.privateKey, baseUrl: url, maxRetries, timeout, fetch: fetched },
        { sleep: async () => {}, random: () => 0, now: Date.now },
      ),
    count: async () => (await tenant.send('GET', '/tokens')).json.pagination.total_items as number,
    list: async () => (await tenant.send('GET', '/tokens')).status,
    create: async (more: object) =>
      (await tenant.send('POST', '/tokens', { type: 'token', data: 'a value', ...more })).status,
  }
}

/** Lets other work go on, which is enough for what does not wait for a timer. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await nextTurn()
}

/** Resolves with the error that a call fails with. */
export const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('it did not fail'),
    error => error,
  )
