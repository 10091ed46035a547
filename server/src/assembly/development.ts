import { DevEndpoints, devPageFiles } from '../dev/endpoints.ts'
import { exportHandlers } from '../dev/export.ts'
import { faultHandlers } from '../dev/faults.ts'
import type { DevHandlers } from '../dev/handlers.ts'
import type { Matchable } from '../dev/matching.ts'
import { tenantHandlers } from '../dev/tenants.ts'
import { createTestObserver } from '../dev/test-observer.ts'
import { UnknownMembers } from '../dev/unknown-members.ts'
import { proxyOperations } from '../generated/facts.ts'
import type { Services, TestObserver } from '../http/pipeline/exchange.ts'
import { readAllPrinted, readPrinted } from '../reactors/list.ts'
import type { Deployment } from './deployment.ts'

export { explain } from '../dev/explanation.ts'

/** Deliveries that are due later are counted up to this number. */
const mostCounted = 100_000

/** Loaded under `--dev` only. */
export function observerOf(deployment: Deployment): TestObserver | undefined {
  const { tools, clock, headerNames, validators, log, options } = deployment
  // In process, nobody reads a log that was not given.
  const print = options.log ? undefined : (line: string) => process.emitWarning(line, 'SurrogateWarning')
  const unknownMembers = new UnknownMembers(validators, log, print)
  const nowMs = (tenant: string) => clock.nowUs(tenant) / 1000
  return tools && createTestObserver({ ...tools, nowMs, headerNames, unknownMembers })
}

/** Makes the endpoints of a development server. Loaded under `--dev` only. */
export function developmentEndpoints(deployment: Deployment, services: Services): DevEndpoints {
  return new DevEndpoints(
    services,
    handlersOf(deployment),
    devPageFiles(deployment.headerPrefix),
    deployment.options.devToken,
  )
}

function handlersOf(deployment: Deployment): DevHandlers {
  const { advance, catchUp, reset, clock, createTenant, reactors, store, tools, validators } = deployment
  if (!tools) throw new Error('a development server without its tools')
  const { faults, journal, inbox, idleness, events, keys, snapshots, leaks } = tools
  const keyOf = (digest: string) => keys.get(digest)
  const recorded: readonly Matchable[] = [...validators.operations, ...Object.values(proxyOperations)]
  const operations = recorded.map(({ id }) => id)
  return {
    ...snapshots.handlers(),
    ...leaks.handlers(),
    ...tenantHandlers({ ...deployment, keyOf }),
    ...faultHandlers(faults, operations),
    ...exportHandlers({ ...deployment, keyOf }),
    ...journal.handlers(recorded),
    ...inbox.handlers(),
    ...events.handlers(),
    'dev.settled': async () => {
      do {
        await idleness.idle()
        await catchUp()
        // A job may have been accepted meanwhile.
      } while (!idleness.isIdle)
      const later = (await store.due('job', Number.MAX_SAFE_INTEGER, mostCounted)).length
      return { status: 200, body: { later } }
    },
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
    'dev.consoles.list': async ({ tenant }) => ({
      status: 200,
      body: { data: await readAllPrinted(reactors, tenant) },
    }),
  }
}
