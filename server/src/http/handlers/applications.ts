import type { ApplicationInput, Applications } from '../../access/applications.ts'
import type { ApplicationType } from '../../access/permissions.ts'
import type { Handlers, Replay, Replays } from './handler.ts'
import { pageOf, pathId } from './shapes.ts'

export function applicationHandlers(applications: Applications): Handlers {
  return {
    'applications.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await applications.create(
        caller,
        body as unknown as ApplicationInput & { type: ApplicationType },
        receipt && ((id, key) => receipt({ status: 201, entity: id, details: { key } })),
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
        receipt && ((id, key) => receipt({ status: 200, entity: id, details: { key } })),
      ),
    }),
    'applications.delete': async ({ caller, path }) => {
      await applications.delete(caller, pathId(path))
      return { status: 204 }
    },
  }
}

export function applicationReplays(applications: Applications): Replays {
  // The key of this answer, and no other: where the application has another one by now, there is no such answer.
  const withKey: Replay = async ({ caller }, { status, entity = '', details }) => {
    const { key } = details as { readonly key: string }
    return { status, body: await applications.getWithKey(caller, entity, key) }
  }
  return {
    'applications.create': withKey,
    'applications.update': async ({ caller }, { status, entity = '' }) => ({
      status,
      body: await applications.get(caller, entity),
    }),
    'applications.regenerateKey': withKey,
  }
}
