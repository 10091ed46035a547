import type { Core } from '../http/core.ts'
import { UnderWay } from '../http/under-way.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import { checkOptions, type VaultFacts, type VaultOptions } from '../vault-options.ts'
import { type Deployment, deploy } from './deployment.ts'
import { createDomain, type Domain } from './domain.ts'
import { warmFormulas } from './formulas.ts'
import { createHttp } from './http.ts'
import type { VaultParts } from './parts.ts'
import { openStores } from './stores.ts'
import { startWorkers } from './workers.ts'

export interface Assembled extends Pick<Deployment, 'clock' | 'tenants' | 'advance' | 'reset'> {
  readonly core: Core
  readonly facts: VaultFacts
  /** To be called when a port is open. */
  listening(): void
  close(): Promise<void>
}

/**
 * Puts a vault together in four steps: stores → domain → http → workers. Each extends the context of the one before:
 * a new feature adds a member to a context, and later steps find it there.
 */
export async function assemble(options: VaultOptions, parts: VaultParts): Promise<Assembled> {
  checkOptions(options)
  const stores = await openStores(options, parts)
  let domain: Domain | undefined
  try {
    domain = await createDomain(stores, () => core)
    const deployment = await deploy(domain)
    const requests = new UnderWay()
    const core: Core = requests.counted(createHttp(deployment))
    const close = startWorkers(deployment, requests)
    const { clock, tenants, advance, reset } = deployment
    return { core, clock, tenants, advance, reset, close, ...startFacts(deployment) }
  } catch (error) {
    await domain?.sandbox.close()
    await stores.engine.close()
    throw error
  }
}

function startFacts({ options, development, masterKey, sandbox, log }: Deployment) {
  const { file, made } = masterKey
  let listening = () => {}
  // Not before a port is open: starting these processes would slow down the start of this one.
  const isolation = new Promise<Isolation | 'none'>(resolve => {
    listening = () => resolve(warmFormulas(sandbox, log))
  })
  const facts: VaultFacts = {
    ...(development ? { development } : {}),
    ...(options.warmFormulas ? { isolation } : {}),
    ...(file === undefined ? {} : { masterKeyFile: file }),
    ...(file !== undefined && made ? { madeMasterKey: file } : {}),
  }
  return { facts, listening: options.warmFormulas ? listening : () => {} }
}
