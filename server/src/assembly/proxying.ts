import type { AuditRecorder } from '../audit/recorder.ts'
import type { Admissions } from '../base/limits.ts'
import type { IsOwn } from '../egress/addresses.ts'
import { createProxyEgress } from '../egress/proxy-egress.ts'
import { proxyLimits, RequestProxy } from '../proxy/proxy.ts'
import type { Reactors } from '../reactors/reactors.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { VaultOptions } from '../vault-options.ts'
import type { VaultParts } from './storage.ts'

interface Surroundings {
  readonly options: VaultOptions
  readonly parts: VaultParts
  readonly admissions: Admissions
  readonly headerPrefix: string
  readonly isOwn: IsOwn
}

/** Makes what sends proxied requests on. Loaded only if an option allows an origin. */
export function createProxy(
  { options, parts, admissions, headerPrefix: prefix, isOwn }: Surroundings,
  rooms: { readonly reactors: Reactors; readonly tokens: Tokens; readonly audit: AuditRecorder },
): RequestProxy {
  const { proxyAllowOrigins: origins = [], proxyMapOrigins: mapped = {} } = options
  const limits = { ...proxyLimits, ...parts.proxy?.limits }
  const headerPrefix = prefix.toLowerCase()
  const { resolve } = parts.proxy ?? {}
  return new RequestProxy({
    reactors: rooms.reactors,
    tokens: rooms.tokens,
    audit: rooms.audit,
    egress: createProxyEgress({
      origins,
      mapped,
      resolve,
      isOwn,
      admission: admissions.proxied,
      headerPrefix,
    }),
    limits,
    headerPrefix,
  })
}
