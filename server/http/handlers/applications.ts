import type { ApplicationInput, Applications } from '../../access/applications.ts'
import type { ApplicationType } from '../../access/permissions.ts'
import { formatMicros } from '../../base/time.ts'
import type { Handlers, Replays } from './handler.ts'
import { pageOf, pathId } from './shapes.ts'

export function applicationHandlers(applications: Applications): Handlers {
  return {
    'applications.create': async ({ caller, body }) => ({
      status: 201,
      body: await applications.create(
        caller,
        body as unknown as ApplicationInput & { type: ApplicationType },
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
    'applications.update': async ({ caller, path, body }) => ({
      status: 200,
      body: await applications.update(caller, pathId(path), body as unknown as ApplicationInput),
    }),
    'applications.regenerateKey': async ({ caller, path }) => ({
      status: 200,
      body: await applications.regenerateKey(caller, pathId(path)),
    }),
    'applications.delete': async ({ caller, path }) => {
      await applications.delete(caller, pathId(path))
      return { status: 204 }
    },
  }
}

export function applicationReplays(applications: Applications): Replays {
  return {
    // Kept in the commit that made the application, before its time was known.
    'applications.create': async ({ caller }, { kept, keptUs }) => {
      const live = await applications.find(caller, kept.entity)
      return {
        status: kept.status,
        body: { created_at: live?.created_at ?? formatMicros(keptUs), ...kept.body },
      }
    },
  }
}
