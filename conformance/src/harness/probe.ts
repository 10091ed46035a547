import type { Capability } from '../capabilities.ts'
import { Unreachable } from './finding.ts'
import { Interrupted } from './guard.ts'
import type { Target } from './target.ts'

/**
 * Checks that the target responds and knows the private key, and detects its capabilities.
 * @throws {Unreachable} if it does not
 */
export async function probe(target: Target): Promise<ReadonlySet<Capability>> {
  const status = await ask(target, '/tokens', target.privateKey)
  if (status === 401) throw new Unreachable('the target does not know the private key (401)')
  const has = new Set<Capability>(target.capabilities)
  if (target.publicKey !== undefined) has.add('public')
  if (target.otherPrivateKey !== undefined) has.add('second-tenant')
  if (target.otherManagementKey !== undefined) has.add('second-management')
  if (target.clockUrl !== undefined) has.add('clock')
  if (target.callbackHost !== undefined) has.add('callbacks')
  if (target.webhookSecret !== undefined) has.add('webhook-signature')
  if (target.managementKey !== undefined) {
    has.add('management')
    if ((await ask(target, '/applications', target.managementKey)) === 200) has.add('applications')
  }
  return has
}

async function ask(target: Target, path: string, key: string): Promise<number> {
  const request = new Request(`${target.baseUrl.replace(/\/$/, '')}${path}`, {
    headers: { [`${target.headerPrefix}-API-KEY`]: key },
  })
  try {
    return (await target.fetch(request)).status
  } catch (error) {
    if (error instanceof Interrupted) throw error
    throw new Unreachable(`the target cannot be reached at ${target.baseUrl}`, { cause: error })
  }
}
