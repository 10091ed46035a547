import type { NewTenant } from '../../src/access/tenant-settings.ts'
import type { VaultParts } from '../../src/assembly/vault-parts.ts'
import type { JsonValue } from '../../src/base/json/json.ts'
import { createLog, type Log } from '../../src/base/log.ts'
import type { VaultOptions } from '../../src/options/vault-options.ts'
import { createVaultWith, type Vault } from '../../src/vault.ts'
import { testStorage } from './storage.ts'

/** A response, as tests use it. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The body as text, and as JSON if it is JSON. */
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  readonly json: any
}

export type Send = (
  method: string,
  path: string,
  body?: JsonValue | { raw: string | Uint8Array },
  headers?: Record<string, string>,
) => Promise<Reply>

export interface TestTenant extends NewTenant {
  /** Sends requests with the private key, which has all permissions for tokens and reveals them. */
  readonly send: Send
  readonly asPublic: Send
  readonly asManagement: Send
  /** Sends requests with another key, or without one. */
  as(key: string | undefined): Send
  /** Creates an application of this tenant with these rights, and sends requests with its key. */
  application(rights: JsonValue, type?: string): Promise<Send & { readonly id: string; readonly key: string }>
}

/** Prints internal errors during the test that causes them. */
const faults: Log = createLog(line => process.stderr.write(line), 'warn')

/**
 * Opens a vault that checks every response against the contract. It is closed when the test ends. Its data are where
 * this test run keeps them, unless the test specifies a storage or a store.
 */
export function openVault(
  t: { teardown(task: () => unknown): void },
  options: VaultOptions = {},
  parts: VaultParts = {},
): Vault {
  const own = options.storage === undefined && !parts.openStore ? testStorage(t) : undefined
  const vault = createVaultWith(
    { ...own?.parts, ...parts },
    { dev: true, log: faults, ...own?.options, ...options },
  )
  t.teardown(() => vault.close())
  return vault
}

export async function openTenant(vault: Vault, options?: { operator?: boolean }): Promise<TestTenant> {
  const tenant = await vault.createTenant(options)
  const as = (key: string | undefined) => sender(vault, key)
  const asManagement = as(tenant.managementKey)
  return {
    ...tenant,
    as,
    send: as(tenant.privateKey),
    asPublic: as(tenant.publicKey),
    asManagement,
    async application(rights, type = 'private') {
      const body = { name: 'Test', type, ...(rights as object) } as JsonValue
      const reply = await asManagement('POST', '/applications', body)
      if (reply.status !== 201) throw new Error(`the application was not created: ${reply.text}`)
      return Object.assign(as(reply.json.key), { id: reply.json.id, key: reply.json.key })
    },
  }
}

export function sender(vault: Pick<Vault, 'fetch'>, key: string | undefined): Send {
  return async (method, path, body, headers = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const raw = typeof body === 'object' && body !== null && 'raw' in body ? body.raw : undefined
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await vault.fetch(`http://vault${path}`, {
      method,
      headers: {
        ...(payload === undefined ? {} : { 'Content-Type': type }),
        ...(key === undefined ? {} : { 'SVC-API-KEY': key }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
    }
  }
}
