import type { Applications } from '../../access/applications.ts'
import { answer, type HandlersOf } from './handler.ts'

export function applicationHandlers(applications: Applications): HandlersOf<'applications'> {
  return {
    'applications.create': ({ caller, body, receipt }) =>
      answer(201, applications.create(caller, body, receipt)),
    'applications.list': ({ caller, query }) => answer(200, applications.list(caller, query)),
    'applications.get': ({ caller, path }) => answer(200, applications.get(caller, path.id)),
    // Requirements: APP-506
    'applications.getByKey': ({ caller }) => answer(200, applications.get(caller, caller.application)),
    'applications.update': ({ caller, path, body, receipt }) =>
      answer(200, applications.update(caller, path.id, body, receipt)),
    'applications.regenerateKey': ({ caller, path, receipt }) =>
      answer(200, applications.keys.regenerate(caller, path.id, receipt)),
    'applications.addKey': ({ caller, path, receipt }) =>
      answer(201, applications.keys.add(caller, path.id, receipt)),
    'applications.listKeys': ({ caller, path }) => answer(200, applications.keys.list(caller, path.id)),
    'applications.revokeKey': ({ caller, path }) =>
      answer(204, applications.keys.revoke(caller, path.id, path.key_id)),
    'applications.delete': ({ caller, path }) => answer(204, applications.delete(caller, path.id)),
  }
}
