import type { NewTenant } from '../access/tenant-settings.ts'
import type { InFlight } from '../http/pipeline/in-flight.ts'
import type { Records } from '../storage/records/records.ts'
import type { DevHandlers } from './handlers.ts'

/** Deliveries that are due later are counted up to this number. */
const mostCounted = 100_000

interface ServerTools {
  readonly idleness: InFlight
  readonly records: Records
  nowMs(): number
  /** Resolves when everything that is due is done. */
  catchUp(): Promise<void>
  advance(ms: number): Promise<void>
  reset(): Promise<void>
  createTenant(options?: { readonly operator?: boolean | undefined }): Promise<NewTenant>
}

type ServerHandlers = Pick<
  DevHandlers,
  'dev.settled' | 'dev.clock.advance' | 'dev.reset' | 'dev.tenants.create'
>

/** Handlers of the whole server: its rest, its clock, its tenants. */
export function serverHandlers(tools: ServerTools): ServerHandlers {
  return {
    'dev.settled': async () => {
      do {
        await tools.idleness.idle()
        await tools.catchUp()
        // A job may have been accepted meanwhile.
      } while (!tools.idleness.isIdle)
      const later = (await tools.records.due('job', Number.MAX_SAFE_INTEGER, mostCounted)).length
      return { status: 200, body: { later } }
    },
    'dev.clock.advance': async ({ body }) => {
      await tools.advance(body.advance_ms)
      return { status: 200, body: { now: new Date(tools.nowMs()).toISOString() } }
    },
    'dev.reset': async () => {
      await tools.reset()
      return { status: 204 }
    },
    'dev.tenants.create': async ({ body }) => {
      const tenant = await tools.createTenant(body)
      return {
        status: 201,
        body: {
          tenant_id: tenant.tenantId,
          public_key: tenant.publicKey,
          private_key: tenant.privateKey,
          management_key: tenant.managementKey,
          webhook_secret: tenant.webhookSecret,
        },
      }
    },
  }
}
