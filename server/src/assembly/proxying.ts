import { createProxyEgress } from '../egress/proxy-egress.ts'
import { proxyLimits, RequestProxy } from '../proxy/proxy.ts'
import type { ReactorsContext } from '../reactors/context.ts'
import type { Stores } from './stores.ts'

/** Makes what sends proxied requests on. Loaded only if an option allows an origin. */
export function createProxy(
  { options, parts, headerPrefix }: Pick<Stores, 'options' | 'parts' | 'headerPrefix'>,
  reactors: ReactorsContext,
): RequestProxy {
  const { proxyAllowOrigins: origins = [], proxyMapOrigins: mapped = {} } = options
  return new RequestProxy({
    reactors,
    egress: createProxyEgress({ origins, mapped, resolve: parts.proxy?.resolve }),
    limits: { ...proxyLimits, ...parts.proxy?.limits },
    headerPrefix: headerPrefix.toLowerCase(),
  })
}
