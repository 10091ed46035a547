import { devApplications } from '../dev/applications.ts'
import type { DevHandlers } from '../dev/handlers.ts'
import { devTenantClock } from '../dev/tenant-clock.ts'
import type { Services } from '../http/exchange.ts'
import { DevEndpoints } from '../http/outside/dev.ts'
import { readPrinted } from '../reactors/list.ts'
import type { Deployment } from './deployment.ts'

/** Makes the endpoints of a development server. Loaded under `--dev` only. */
export function developmentEndpoints(deployment: Deployment, services: Services): DevEndpoints {
  return new DevEndpoints(services, handlersOf(deployment), deployment.options.devToken)
}

function handlersOf(deployment: Deployment): DevHandlers {
  const { advance, reset, clock, createTenant, reactors, applications } = deployment
  return {
    ...devApplications(applications),
    ...devTenantClock(deployment),
    'dev.clock.advance': async ({ body }) => {
      await advance(body.advance_ms)
      return { status: 200, body: { now: new Date(clock.nowMs()).toISOString() } }
    },
    'dev.reset': async () => {
      await reset()
      return { status: 204 }
    },
    'dev.tenants.create': async ({ body }) => {
      const tenant = await createTenant(body)
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
    'dev.console.list': async ({ tenant, path }) => ({
      status: 200,
      body: { data: await readPrinted(reactors, tenant, path.id) },
    }),
  }
}
