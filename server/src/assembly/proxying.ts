import type { Admissions } from '../base/limits.ts'
import type { IsOwn } from '../egress/addresses.ts'
import { createProxyEgress } from '../egress/proxy-egress.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import { proxyLimits, RequestProxy } from '../proxy/proxy.ts'
import type { AroundNetwork } from './around.ts'
import type { Closers } from './closers.ts'
import type { VaultParts } from './vault-parts.ts'

interface Surroundings {
  readonly options: VaultOptions
  readonly parts: VaultParts
  readonly admissions: Admissions
  readonly headerPrefix: string
  readonly isOwn: IsOwn
  readonly closers: Closers
  readonly outgoing: AroundNetwork
}

/** Makes what sends proxied requests on. Loaded only if an option allows an origin. */
export function createProxy(
  { options, parts, admissions, headerPrefix: prefix, isOwn, closers, outgoing }: Surroundings,
  rooms: Pick<
    ConstructorParameters<typeof RequestProxy>[0],
    'reactors' | 'tokens' | 'audit' | 'places' | 'turns'
  >,
): RequestProxy {
  const { proxyAllowOrigins: origins = [], proxyMapOrigins: mapped = {} } = options
  const limits = { ...proxyLimits, ...parts.proxy?.limits }
  const headerPrefix = prefix.toLowerCase()
  const { resolve } = parts.proxy ?? {}
  const proxy = new RequestProxy({
    ...rooms,
    egress: createProxyEgress({
      origins,
      mapped,
      resolve,
      isOwn,
      admission: admissions.proxied,
      headerPrefix,
      ...outgoing,
    }),
    limits,
    headerPrefix,
  })
  closers.add(() => proxy.close())
  return proxy
}
