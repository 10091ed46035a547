import type { Capability } from '../capabilities.ts'
import { Unreachable } from './finding.ts'
import { Interrupted } from './guard.ts'
import { requestTo, type Subject } from './target.ts'
import { contentOf } from './transport.ts'

/** Settings that are keys, each with a request that it has to be able to send. */
const keys = [
  ['private-key', 'privateKey', 'GET', '/tokens'],
  ['public-key', 'publicKey', 'POST', '/sessions'],
  ['management-key', 'managementKey', 'GET', '/reactor-formulas'],
  ['masked-key', 'maskedKey', 'GET', '/tokens'],
  ['redacted-key', 'redactedKey', 'GET', '/tokens'],
  ['other-private-key', 'otherPrivateKey', 'GET', '/tokens'],
  ['other-management-key', 'otherManagementKey', 'GET', '/reactor-formulas'],
] as const

/**
 * Checks that the target responds and knows all keys, and detects its capabilities.
 * @throws {Unreachable} if it does not; the message names the wrong setting
 */
export async function probe(target: Subject): Promise<ReadonlySet<Capability>> {
  await checkKeys(target)
  await checkLimitedKey(target)
  await checkTenants(target)
  const has = new Set<Capability>(target.capabilities)
  const given: Partial<Record<Capability, string | undefined>> = {
    public: target.publicKey,
    management: target.managementKey,
    'masked-caller': target.maskedKey,
    'redacted-caller': target.redactedKey,
    'limited-caller': target.limitedKey,
    'second-tenant': target.otherPrivateKey,
    'second-management': target.otherManagementKey,
    clock: target.clockUrl,
    callbacks: target.callbackHost,
    'webhook-signature': target.webhookSecret,
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) has.add(name as Capability)
  if (has.has('applications') || (await canCreateApplications(target)))
    for (const name of ['applications', 'masked-caller', 'redacted-caller', 'limited-caller'] as const)
      has.add(name)
  return has
}

/** True if the target responds at all. */
export async function isReachable(target: Subject): Promise<boolean> {
  return ask(target, target.privateKey, 'GET', '/tokens').then(
    () => true,
    () => false,
  )
}

async function checkKeys(target: Subject): Promise<void> {
  const settings = new Map<string, string>()
  for (const [setting, member, method, path] of keys) {
    const key = target[member]
    if (key === undefined) continue
    const same = settings.get(key)
    if (same !== undefined) throw new Unreachable(`${setting} and ${same} are the same key`)
    settings.set(key, setting)
    const { status } = await ask(target, key, method, path)
    // Other errors do not depend on the key: a server without formulas can still be tested.
    if (status >= 400 && status <= 403)
      throw new Unreachable(`the target refuses ${setting} (${method} ${path}: ${status})`)
  }
}

async function checkLimitedKey(target: Subject): Promise<void> {
  if (target.limitedKey === undefined) return
  const { status } = await ask(target, target.limitedKey, 'GET', '/tokens')
  const unknown = await ask(target, 'key_that_does_not_exist', 'GET', '/tokens')
  if (status === 401 && unknown.status === 401)
    throw new Unreachable('the target does not know limited-key (GET /tokens: 401)')
  if (status < 300)
    throw new Unreachable('limited-key may list tokens; it takes an application that holds token:use only')
}

async function checkTenants(target: Subject): Promise<void> {
  if (target.otherPrivateKey === undefined) return
  const tenantOf = async (key: string) => {
    const { body } = await ask(target, key, 'POST', '/tokens', { type: 'token', data: 'probe' })
    if (typeof body?.id === 'string')
      await ask(target, key, 'DELETE', `/tokens/${encodeURIComponent(body.id)}`)
    return body?.tenant_id
  }
  const [own, other] = [await tenantOf(target.privateKey), await tenantOf(target.otherPrivateKey)]
  if (own !== undefined && own === other)
    throw new Unreachable('other-private-key belongs to the tenant of private-key, not to another one')
}

/**
 * True if the endpoint `/applications` is that of our contract: it returns a new application with its key. A server may
 * have one of its own under that name.
 */
async function canCreateApplications(target: Subject): Promise<boolean> {
  const key = target.managementKey
  if (key === undefined) return false
  const rule = { priority: 1, container: '/probe/', transform: 'mask', permissions: ['token:read'] }
  const given = { name: 'probe', type: 'private', rules: [rule] }
  const { status, body } = await ask(target, key, 'POST', '/applications', given)
  if (typeof body?.id !== 'string') return false
  await ask(target, key, 'DELETE', `/applications/${encodeURIComponent(body.id)}`)
  return status < 300 && typeof body.key === 'string' && body.rules?.[0]?.transform === 'mask'
}

async function ask(target: Subject, key: string, method: string, path: string, given?: object) {
  const request = requestTo(target, key, method, path, given && JSON.stringify(given))
  try {
    const response = await target.send(request)
    // biome-ignore lint/suspicious/noExplicitAny: a response of any form
    return { status: response.status, body: contentOf(response).json as any }
  } catch (error) {
    if (error instanceof Interrupted) throw error
    const code = codeOf(error)
    const shown = code === undefined ? '' : ` (${code})`
    throw new Unreachable(`the target cannot be reached at ${target.baseUrl}${shown}`, { cause: error })
  }
}

/** Returns the system's code of an error, such as ECONNREFUSED, which may be that of a cause. */
function codeOf(error: unknown): string | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    const { code, errors } = one as { code?: unknown; errors?: readonly { code?: unknown }[] }
    const found = [code, errors?.[0]?.code].find(each => typeof each === 'string' && /^[A-Z_]+$/.test(each))
    if (typeof found === 'string') return found
  }
  return undefined
}
