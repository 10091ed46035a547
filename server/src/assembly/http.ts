import { createTenant } from '../access/tenants.ts'
import { readDocument } from '../contract/contract.ts'
import { type Core, createCore } from '../http/core.ts'
import { Cors } from '../http/cors.ts'
import { applicationHandlers } from '../http/handlers/applications.ts'
import type { Handlers } from '../http/handlers/handler.ts'
import { logHandlers } from '../http/handlers/logs.ts'
import { formulaHandlers } from '../http/handlers/reactor-formulas.ts'
import { reactorHandlers } from '../http/handlers/reactors.ts'
import { idempotentReplays } from '../http/handlers/replays.ts'
import { sessionHandlers } from '../http/handlers/sessions.ts'
import { tokenizationHandlers } from '../http/handlers/tokenization.ts'
import { tokenHandlers } from '../http/handlers/tokens.ts'
import type { DevOperations } from '../http/outside/dev.ts'
import { Docs } from '../http/outside/docs.ts'
import { Router } from '../http/routes.ts'
import { readPrinted } from '../reactors/list.ts'
import type { Deployment } from './deployment.ts'

export function createHttp(deployment: Deployment): Core {
  const { options, dev, headerPrefix, validators, engine, sandbox, log, random } = deployment
  return createCore({
    services: {
      ...deployment,
      router: new Router(validators.operations),
      handlers: handlersOf(deployment),
      replays: idempotentReplays({ ...deployment, sessions: deployment }),
      inFlight: new Set(),
    },
    cors: new Cors(options.corsOrigins ?? (dev ? ['*'] : []), headerPrefix),
    log,
    random,
    outside: {
      health: { unhealthy: () => engine.unhealthy(), formulas: () => sandbox.isolation() },
      docs: new Docs(() => readDocument(headerPrefix)),
      dev: dev ? devOperations(deployment) : undefined,
    },
    dev,
  })
}

function handlersOf(deployment: Deployment): Handlers {
  const { tokens, applications, reactors } = deployment
  return {
    ...tokenHandlers(tokens),
    ...tokenizationHandlers(tokens),
    ...sessionHandlers(deployment),
    ...applicationHandlers(applications),
    ...logHandlers(deployment),
    ...formulaHandlers(reactors),
    ...reactorHandlers(reactors),
  }
}

function devOperations(deployment: Deployment): DevOperations {
  const { options, advance, reset, clock, tenants, reactors, headerNames } = deployment
  return {
    reset,
    advanceClock: async ms => {
      await advance(ms)
      return { now: new Date(clock.nowMs()).toISOString() }
    },
    createTenant: async operator => {
      const tenant = await createTenant(tenants, { operator })
      return {
        tenant_id: tenant.tenantId,
        public_key: tenant.publicKey,
        private_key: tenant.privateKey,
        management_key: tenant.managementKey,
        webhook_secret: tenant.webhookSecret,
      }
    },
    printed: (key, reactor) => readPrinted(reactors, key, reactor),
    keyHeader: headerNames.key,
    token: options.devToken,
  }
}
