import type { AuditRecorder } from '../audit/recorder.ts'
import type { RequestPlaces } from '../base/flow/request-places.ts'
import { backends } from '../contract/backend.ts'
import { readDocument } from '../contract/contract.ts'
import type { Validators } from '../contract/validators.ts'
import { checkHandlers } from '../http/handlers/handler.ts'
import { handlersOf } from '../http/handlers/operations.ts'
import { idempotentReplays } from '../http/handlers/replays.ts'
import type { Rooms } from '../http/handlers/rooms.ts'
import { docsFiles, type Health, respondOutside } from '../http/outside/paths.ts'
import { type Core, createCore } from '../http/pipeline/core.ts'
import { Cors } from '../http/pipeline/cors.ts'
import type { Respond, Services } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import type { InFlight } from '../http/pipeline/in-flight.ts'
import { steps } from '../http/pipeline/lifecycle.ts'
import { observed } from '../http/pipeline/observed.ts'
import { Idempotency } from '../http/pipeline/perform-once.ts'
import { Refusals } from '../http/pipeline/refusals.ts'
import { responder } from '../http/pipeline/respond.ts'
import { Router } from '../http/pipeline/routes.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import type { RequestProxy } from '../proxy/proxy.ts'
import type { Around } from './around.ts'
import type { Storage } from './storage.ts'

interface HttpParts {
  readonly options: Pick<VaultOptions, 'dialect' | 'dev' | 'strict' | 'corsOrigins'>
  readonly headerPrefix: string
  readonly headerNames: HeaderNames
  readonly validators: Validators
  readonly storage: Pick<Storage, 'records' | 'clock' | 'random' | 'log' | 'turns' | 'observer'>
  readonly places: RequestPlaces
  readonly audit: AuditRecorder
  readonly rooms: Rooms
  readonly requestProxy: RequestProxy | undefined
  readonly health: Health
  readonly inFlight: InFlight
  readonly around: Around
}

/** Makes what serves requests: the steps, what is around them, and the paths outside of the contract. */
export async function createHttp(parts: HttpParts): Promise<Core> {
  const { options, headerPrefix, headerNames, validators, storage, rooms, requestProxy, around } = parts
  const { dialect, dev = false, strict = false, corsOrigins = dev ? ['*'] : [] } = options
  const { records, clock, random, log, turns, observer } = storage
  const handlers = around.handlers(handlersOf(rooms))
  checkHandlers(handlers, validators.operations)
  const translator =
    dialect && (await import('../http/pipeline/translator.ts')).translatorOf(dialect, headerNames)
  const refusals = new Refusals({ audit: parts.audit, log })
  const own = around.steps(steps)
  const services: Services = {
    steps: translator?.steps(own) ?? own,
    router: new Router(backends.requests().router, validators.operations),
    validators,
    dialect,
    strict,
    handlers,
    idempotency: new Idempotency({ records, random, clock, replays: idempotentReplays(rooms) }),
    records,
    clock,
    places: parts.places,
    turns,
    headerNames,
    proxy: requestProxy && (await import('../http/pipeline/proxy-route.ts')).proxyRoute(requestProxy),
  }
  around.serving(services, refusals)
  const translated = (respond: Respond) => translator?.respond(respond) ?? respond
  const docs = docsFiles({ readDocument: () => readDocument(headerPrefix), maySend: dev })
  return createCore({
    cors: new Cors(corsOrigins, headerPrefix, dialect),
    outside: around.outside(respondOutside(parts.health, docs)),
    respond: around.respond(observed(observer, translated(around.checked(responder(services, refusals))))),
    refusals,
    inFlight: parts.inFlight,
    random,
    headerNames,
    dialect,
  })
}
