import { Semaphores } from '../base/flow/semaphore.ts'
import { longOperationLimits } from '../base/limits.ts'
import type { Mutable } from '../base/mutable.ts'
import { backends } from '../contract/backend.ts'
import { readDocument } from '../contract/contract.ts'
import { checkHandlers, type Handlers } from '../http/handlers/handler.ts'
import {
  applicationHandlers,
  formulaHandlers,
  jobHandlers,
  logHandlers,
  reactorHandlers,
  sessionHandlers,
  tenantHandlers,
  tokenHandlers,
  tokenizationHandlers,
} from '../http/handlers/operations.ts'
import { idempotentReplays } from '../http/handlers/replays.ts'
import { openOperatorPort } from '../http/outside/operator-port.ts'
import { docsFiles, type Health, type OutsidePaths, respondOutside } from '../http/outside/paths.ts'
import { type Core, createCore, type UnderWay } from '../http/pipeline/core.ts'
import { Cors } from '../http/pipeline/cors.ts'
import type { Services } from '../http/pipeline/exchange.ts'
import { parse, steps } from '../http/pipeline/lifecycle.ts'
import { Router } from '../http/pipeline/routes.ts'
import type { Address, Listening } from '../http/transport/listener.ts'
import { VaultOptionsError } from '../vault-options.ts'
import type { Deployment } from './deployment.ts'

export async function createHttp(deployment: Deployment, health: Health, requests: UnderWay): Promise<Core> {
  const { options, dev, headerPrefix, validators, dialect } = deployment
  const development = dev ? await import('./development.ts') : undefined
  const handlers = handlersOf(deployment)
  checkHandlers(handlers, validators.operations)
  const paths: Mutable<OutsidePaths> = {
    health,
    docs: docsFiles({ readDocument: () => readDocument(headerPrefix), dev }),
  }
  const translator =
    dialect && (await import('../http/pipeline/translator.ts')).translatorOf(dialect, deployment.headerNames)
  const services: Services = {
    ...deployment,
    // A translated request is checked as one of the contract.
    steps: translator ? steps.toSpliced(steps.indexOf(parse) + 1, 0, translator.read) : steps,
    cors: new Cors(options.corsOrigins ?? (dev ? ['*'] : []), headerPrefix, dialect),
    outside: exchange => respondOutside(paths, exchange),
    requests,
    strict: options.strict ?? false,
    testObserver: development?.observerOf(deployment),
    proxy:
      deployment.requestProxy &&
      (await import('../http/pipeline/proxy-route.ts')).proxyDoor(deployment.requestProxy),
    translator,
    router: new Router(backends.requests().router, validators.operations),
    handlers,
    replays: idempotentReplays({ ...deployment, sessions: deployment }),
    inFlight: new Set(),
    longOperations: new Semaphores('lists, searches and payloads', longOperationLimits),
    explain: development?.explain,
  }
  if (development) paths.dev = development.developmentEndpoints(deployment, services)
  return createCore(services)
}

/** @param draining true if the server is about to close */
export function healthOf({ store, sandbox }: Deployment, draining: () => boolean): Health {
  return { unhealthy: () => store.unhealthy(), formulas: () => sandbox.isolation(), draining }
}

/** @throws {VaultOptionsError} if metrics are not kept */
export async function listenForOperators(
  { metrics, log, random }: Deployment,
  health: Health,
  address: Address,
): Promise<Listening> {
  if (!metrics) throw new VaultOptionsError('metrics must be true, as this vault is to show them')
  return openOperatorPort({ health, metrics, log, random }, address)
}

function handlersOf(deployment: Deployment): Handlers {
  const { tokens, applications, reactors } = deployment
  return {
    ...tokenHandlers(tokens),
    ...tokenizationHandlers(tokens),
    ...sessionHandlers(deployment),
    ...applicationHandlers(applications),
    ...tenantHandlers(deployment),
    ...logHandlers(deployment),
    ...jobHandlers(deployment),
    ...formulaHandlers(reactors),
    ...reactorHandlers(reactors),
  }
}
