import { bodiless } from '../../base/bodiless-statuses.ts'
import { ServiceError } from '../../base/errors.ts'
import type { Operation } from '../../contract/contract.ts'
import { limits, proxyOperations } from '../../generated/facts.ts'
import type { RequestProxy } from '../../proxy/proxy.ts'
import { answerOf } from '../handlers/operations.ts'
import { type Answer, jsonResponse } from '../transport/message.ts'
import type { ProxyRoute } from './exchange.ts'
import { readBodyWithin } from './input.ts'

/** Their bodies are of any type, and validated by nothing but what reads them. */
const operations: readonly Operation[] = Object.entries(proxyOperations).map(([method, facts]) => ({
  ...facts,
  method,
  path: '/proxy',
  formula: false,
  bodyRequired: false,
  bodyBytes: limits.bodyBytes,
  queryParameters: [],
  uuidParameters: [],
  idempotent: false,
  place: undefined,
  statuses: ['default'],
}))

export function proxyRoute(proxy: RequestProxy): ProxyRoute {
  return {
    match: ({ path, method }) => {
      if (path !== '/proxy' && !path.startsWith('/proxy/')) return undefined
      const found = operations.find(one => one.method === method)
      if (found) return found
      const allowed = operations
        .map(one => one.method)
        .sort()
        .join(', ')
      throw new ServiceError('method_not_allowed', `this path takes ${allowed}`, {
        headers: { Allow: allowed },
      })
    },
    forward: async ({ request, traceId }, caller) => {
      const { method, query, headers } = request
      const path = request.path.slice('/proxy'.length)
      const proxied = await proxy.forward({
        ...{ caller, traceId, method, query, headers },
        path: path === '/' ? '' : path,
        body: await readBodyWithin(request, limits.bodyBytes, caller.tenant),
        onDisconnect: abort => request.onClose(abort),
      })
      if (proxied.kind === 'reacted') {
        const { status, headers = {}, body }: Answer = answerOf(proxied.reaction)
        return body === undefined ? { status, headers: { ...headers } } : jsonResponse(status, body, headers)
      }
      const { status, pieces } = proxied
      // No browser may take the body for another type than the target says.
      const passed = { ...proxied.headers, 'x-content-type-options': 'nosniff' }
      if (!bodiless.has(status)) return { status, headers: passed, pieces }
      await pieces[Symbol.asyncIterator]().return?.()
      return { status, headers: passed }
    },
  }
}
