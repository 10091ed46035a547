import { listProxies, type ProxiesContext, readProxy } from '../../proxy/stored.ts'
import { createProxy, deleteProxy, patchProxy, updateProxy } from '../../proxy/write-stored.ts'
import { answer, type HandlersOf } from './handler.ts'

export function proxyHandlers(context: ProxiesContext): HandlersOf<'proxies'> {
  return {
    'proxies.create': ({ caller, body, receipt }) => answer(201, createProxy(context, caller, body, receipt)),
    'proxies.list': ({ caller, query }) => answer(200, listProxies(context, caller, query)),
    'proxies.get': ({ caller, path }) => answer(200, readProxy(context, caller, path.id)),
    'proxies.update': ({ caller, path, body, receipt }) =>
      answer(200, updateProxy(context, caller, path.id, body, receipt)),
    'proxies.patch': ({ caller, path, body, receipt }) =>
      answer(204, patchProxy(context, caller, path.id, body, receipt)),
    'proxies.delete': ({ caller, path }) => answer(204, deleteProxy(context, caller, path.id)),
  }
}
