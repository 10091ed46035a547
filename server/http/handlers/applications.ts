import type { ApplicationInput, Applications } from '../../access/applications.ts'
import type { ApplicationType } from '../../access/permissions.ts'
import { formatMicros } from '../../base/time.ts'
import type { Handlers, Replays } from './handler.ts'
import { pageOf, pathId } from './shapes.ts'

export function applicationHandlers(applications: Applications): Handlers {
  return {
    'applications.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await applications.create(
        caller,
        body as unknown as ApplicationInput & { type: ApplicationType },
        receipt && (made => receipt({ status: 201, entity: made.id, body: made })),
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
    'applications.update': async ({ caller, path, body, receipt }) => {
      const id = pathId(path)
      const kept = receipt && (() => receipt({ status: 200, entity: id }))
      return {
        status: 200,
        body: await applications.update(caller, id, body as unknown as ApplicationInput, kept),
      }
    },
    'applications.regenerateKey': async ({ caller, path, receipt }) => ({
      status: 200,
      body: await applications.regenerateKey(
        caller,
        pathId(path),
        receipt && ((id, key) => receipt({ status: 200, entity: id, body: { key } })),
      ),
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
    'applications.update': async ({ caller }, { kept }) => ({
      status: kept.status,
      body: await applications.get(caller, kept.entity),
    }),
    'applications.regenerateKey': async ({ caller }, { kept }) => ({
      status: kept.status,
      body: { ...(await applications.get(caller, kept.entity)), ...kept.body },
    }),
  }
}
