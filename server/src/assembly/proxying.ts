import { createProxyEgress } from '../egress/proxy-egress.ts'
import { proxyLimits, RequestProxy } from '../proxy/proxy.ts'
import type { ReactorsContext } from '../reactors/reactors-context.ts'
import type { Stores } from './stores.ts'

/** Makes what sends proxied requests on. Loaded only if an option allows an origin. */
export function createProxy(
  {
    options,
    parts,
    admissions,
    headerPrefix: prefix,
    isOwn,
  }: Pick<Stores, 'options' | 'parts' | 'admissions' | 'headerPrefix' | 'isOwn'>,
  reactors: ReactorsContext,
): RequestProxy {
  const { proxyAllowOrigins: origins = [], proxyMapOrigins: mapped = {} } = options
  const limits = { ...proxyLimits, ...parts.proxy?.limits }
  const headerPrefix = prefix.toLowerCase()
  const { resolve } = parts.proxy ?? {}
  return new RequestProxy({
    reactors,
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
