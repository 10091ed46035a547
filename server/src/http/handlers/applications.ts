import type { ApplicationInput, Applications } from '../../access/applications.ts'
import type { ApplicationType } from '../../access/permissions.ts'
import type { Handlers } from './handler.ts'
import { pageOf, pathId } from './shapes.ts'

export function applicationHandlers(applications: Applications): Handlers {
  return {
    'applications.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await applications.create(
        caller,
        body as unknown as ApplicationInput & { type: ApplicationType },
        receipt,
      ),
    }),
    'applications.list': async ({ caller, query }) => ({
      status: 200,
      body: await applications.list(caller, pageOf(query)),
    }),
    'applications.get': async ({ caller, path }) => ({
      status: 200,
      body: await applications.get(caller, pathId(path)),
    }),
    // Requirements: APP-506
    'applications.getByKey': async ({ caller }) => ({
      status: 200,
      body: await applications.get(caller, caller.application),
    }),
    'applications.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await applications.update(caller, pathId(path), body as unknown as ApplicationInput, receipt),
    }),
    'applications.regenerateKey': async ({ caller, path, receipt }) => ({
      status: 200,
      body: await applications.regenerateKey(caller, pathId(path), receipt),
    }),
    'applications.delete': async ({ caller, path }) => {
      await applications.delete(caller, pathId(path))
      return { status: 204 }
    },
  }
}
