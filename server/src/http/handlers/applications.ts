import type { Applications } from '../../access/applications.ts'
import type { HandlersOf } from './handler.ts'

export function applicationHandlers(applications: Applications): HandlersOf<'applications'> {
  return {
    'applications.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await applications.create(caller, body, receipt),
    }),
    'applications.list': async ({ caller, query }) => ({
      status: 200,
      body: await applications.list(caller, query),
    }),
    'applications.get': async ({ caller, path }) => ({
      status: 200,
      body: await applications.get(caller, path.id),
    }),
    // Requirements: APP-506
    'applications.getByKey': async ({ caller }) => ({
      status: 200,
      body: await applications.get(caller, caller.application),
    }),
    'applications.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await applications.update(caller, path.id, body, receipt),
    }),
    'applications.regenerateKey': async ({ caller, path, receipt }) => ({
      status: 200,
      body: await applications.regenerateKey(caller, path.id, receipt),
    }),
    'applications.delete': async ({ caller, path }) => {
      await applications.delete(caller, path.id)
      return { status: 204 }
    },
  }
}
