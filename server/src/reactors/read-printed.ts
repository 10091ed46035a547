import { holds } from '../access/caller.ts'
import { authenticate } from '../access/keys.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import { tenantStore } from '../formulas/context.ts'
import type { ReactorsContext } from './context.ts'
import { existingReactor } from './reactor.ts'

/**
 * Returns the last lines that a reactor's formula printed, for a management key of its tenant.
 * @throws {ServiceError} unauthenticated, permission_denied, not_found
 */
export async function readPrinted(
  context: ReactorsContext,
  key: string | undefined,
  reactor: string,
): Promise<JsonValue> {
  const caller = key ? await authenticate(context.store, key, context.nowUs()) : undefined
  if (!caller) throw new ServiceError('unauthenticated', 'the API key is missing, unknown or expired')
  if (caller.type !== 'management' || !holds(caller, 'reactor:read'))
    throw new ServiceError('permission_denied', 'this takes a management key with reactor:read')
  const { value } = await existingReactor(await tenantStore(context, caller.tenant), reactor)
  const lines = context.console?.read(caller.tenant, value.id) ?? []
  return { data: lines.map(line => ({ ...line })) }
}
