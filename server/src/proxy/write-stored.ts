import type { KeptKey } from '../access/application-keys.ts'
import type { Caller } from '../access/caller.ts'
import { makeKey } from '../access/key-text.ts'
import { digestOfKey, insertKey, removeKey } from '../access/keys.ts'
import { tenantStore } from '../access/tenants.ts'
import { entriesOf } from '../audit/entries.ts'
import { ErrorList, invalid } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { mergePatch } from '../base/json/merge-patch.ts'
import type { PatchProxyRequest, ProxyRequest, StoredProxy, StoredProxyWithKey } from '../contract/types.ts'
import { EgressError } from '../egress/egress-error.ts'
import { limits } from '../generated/facts.ts'
import { applicationPart, applicationUseChanges } from '../reactors/write-reactor.ts'
import { type Attempt, type KeptEntity, type Receipt, transact } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { existingProxy, type ProxiesContext, type ProxyRecord, showProxy } from './stored.ts'

const proxyEntry = entriesOf('proxy')

/** Creates a proxy with a key of its own. @throws {ServiceError} validation, idempotency_conflict */
// Requirements: PRX-501
export async function createProxy(
  context: ProxiesContext,
  caller: Caller,
  input: ProxyRequest,
  receipt?: Receipt<KeptKey>,
): Promise<StoredProxyWithKey> {
  const store = await tenantStore(context, caller.tenant)
  const root = await context.store.root(context.nowUs())
  const id = context.random.uuid()
  const key = makeKey('proxy', context.random, { root, tenant: store.tenant })
  const key_digest = digestOfKey(root, store.tenant, key)
  const attempt = async () => {
    const { writes, result } = await storing(context, caller, store, input, { id, key_digest })
    return {
      writes: [...writes, insertKey({ root, store }, { id: key_digest, tenant: store.tenant, proxy: id })],
      kept: { entity: id, details: { key } },
      result: async (written: Parameters<typeof result>[0]) => ({ ...(await result(written)), key }),
    }
  }
  const created = await transact(context, attempt, receipt)
  if (created.request_transform ?? created.response_transform) context.warmSandbox(store.tenant)
  return created
}

/** @throws {ServiceError} validation, not_found, idempotency_conflict */
// Requirements: PRX-507
export function updateProxy(
  context: ProxiesContext,
  caller: Caller,
  id: string,
  input: ProxyRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<StoredProxy> {
  return change(context, caller, id, () => input, receipt)
}

/** Applies a JSON merge patch, and validates the result as a whole. @throws {ServiceError} like `updateProxy` */
export async function patchProxy(
  context: ProxiesContext,
  caller: Caller,
  id: string,
  patch: PatchProxyRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<void> {
  const patched = ({ application, ...current }: ProxyRecord) => {
    const given = { ...current, ...(application === undefined ? {} : { application: { id: application } }) }
    return mergePatch(given as unknown as JsonObject, patch as JsonValue) as unknown as ProxyRequest
  }
  await change(context, caller, id, patched, receipt)
}

/** Removes a proxy and its key. @throws {ServiceError} not_found */
// Requirements: PRX-503
export async function deleteProxy(context: ProxiesContext, caller: Caller, id: string): Promise<void> {
  const store = await tenantStore(context, caller.tenant)
  const root = await context.store.root(context.nowUs())
  await transact(context, async () => {
    const { value, version } = await existingProxy(store, id)
    return {
      writes: [
        store.remove('proxy', value.id, version),
        removeKey({ root, store }, value.key_digest),
        ...(await applicationUseChanges(store, value.application, undefined)),
        proxyEntry(context, store, 'proxy:delete', value.id, caller.application),
      ],
      result: () => {},
    }
  })
}

async function change(
  context: ProxiesContext,
  caller: Caller,
  id: string,
  next: (current: ProxyRecord) => ProxyRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<StoredProxy> {
  const store = await tenantStore(context, caller.tenant)
  const attempt = async () => {
    const current = await existingProxy(store, id)
    return storing(context, caller, store, next(current.value), current)
  }
  return transact(context, attempt, receipt)
}

/**
 * Returns the writes that create a proxy, or replace one.
 * @param before the proxy to replace, or the id and key of a new one
 * @throws {ServiceError} validation
 */
async function storing(
  context: ProxiesContext,
  caller: Caller,
  store: TenantStore,
  input: ProxyRequest,
  before: OpenedRecord<ProxyRecord> | Pick<ProxyRecord, 'id' | 'key_digest'>,
): Promise<Attempt<StoredProxy, KeptEntity>> {
  const { name, destination_url, request_transform, response_transform, require_auth } = input
  checkDestination(context, destination_url)
  const configuration = input.configuration ?? {}
  const errors = new ErrorList()
  for (const [path, transform] of Object.entries({ request_transform, response_transform })) {
    // The contract limits characters, not bytes.
    if (transform && Buffer.byteLength(transform.code) > limits.formulaCodeBytes)
      errors.add(`${path}.code`, `must not be longer than ${limits.formulaCodeBytes} bytes in UTF-8`)
  }
  // A patch adds to what there is.
  if (Object.keys(configuration).length > limits.proxySettings)
    errors.add('configuration', `must not have more than ${limits.proxySettings} members`)
  if (input.application && input.application.id === undefined) errors.add('application.id', 'is missing')
  errors.refuseIfAny('the proxy is not valid')
  const application = await applicationPart(store, input.application?.id)
  const current = 'value' in before ? before : undefined
  const { id, key_digest } = 'value' in before ? before.value : before
  const value: ProxyRecord = {
    id,
    name,
    destination_url,
    ...(request_transform ? { request_transform: { code: request_transform.code } } : {}),
    ...(response_transform ? { response_transform: { code: response_transform.code } } : {}),
    configuration,
    ...(application.id === undefined ? {} : { application: application.id }),
    require_auth: require_auth ?? true,
    key_digest,
    created_by: current?.value.created_by ?? caller.application,
    ...(current ? { modified_by: caller.application } : {}),
  }
  const write = current ? store.replace('proxy', current.version, value) : store.insert('proxy', value)
  return {
    writes: [
      write,
      // The application must be unchanged at the commit.
      ...application.unchanged,
      ...(await applicationUseChanges(store, current?.value.application, value.application)),
      proxyEntry(context, store, current ? 'proxy:update' : 'proxy:create', id, caller.application),
    ],
    kept: { entity: id },
    result: written => showProxy(store, { value, ...written(write) }),
  }
}

/** @throws {ServiceError} validation */
// Requirements: PRX-505
function checkDestination({ checkTarget }: ProxiesContext, text: string): void {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw invalid('destination_url', 'is not a URL such as https://api.example.com/v1')
  const url = new URL(text)
  if (/(\{|%7b){2}/i.test(url.pathname + url.search))
    throw invalid('destination_url', 'must not contain expressions; put them into requests')
  try {
    checkTarget(url)
  } catch (error) {
    throw error instanceof EgressError
      ? invalid('destination_url', 'names an origin that the operator has not allowed, or a password')
      : error
  }
}
