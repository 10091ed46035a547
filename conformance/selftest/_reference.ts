import { createVault } from '../../server/src/index.ts'
import { capabilities as allCapabilities, type Capability } from '../src/capabilities.ts'
import { Contract } from '../src/harness/contract.ts'
import type { Target } from '../src/harness/target.ts'
import type { Fetch } from '../src/harness/transport.ts'

/** Parsed once for all runs of this process. */
export const contract = new Contract()

/** Everything that our server offers. A run that gets this does not probe the server. */
export const capabilities: ReadonlySet<Capability> = new Set(allCapabilities)

/** Opens our own server in this process with two tenants, and the target for it. */
export async function openReference(answer: (fetch: Fetch) => Fetch = fetch => fetch) {
  const vault = createVault({
    dev: true,
    allowPrivateCallbacks: true,
    // Cases send members that the contract does not name.
    log: { info() {}, warn() {}, error() {} },
  })
  const [tenant, other] = [await vault.createTenant(), await vault.createTenant()]
  const target: Target & { readonly fetch: Fetch } = {
    baseUrl: 'http://vault',
    privateKey: tenant.privateKey,
    publicKey: tenant.publicKey,
    managementKey: tenant.managementKey,
    otherPrivateKey: other.privateKey,
    otherManagementKey: other.managementKey,
    headerPrefix: 'SVC',
    clockUrl: 'http://vault/_dev/clock',
    callbackHost: '127.0.0.1',
    webhookSecret: tenant.webhookSecret,
    capabilities: ['read-your-writes'],
    timeoutMs: 60_000,
    patienceMs: 60_000,
    fetch: answer(request => vault.fetch(request)),
  }
  return { vault, target, close: () => vault.close() }
}
