import type { AuditRecorder } from '../audit/recorder.ts'
import type { RequestPlaces } from '../base/flow/request-places.ts'
import type { Mutable } from '../base/mutable.ts'
import type { Observer } from '../base/observer.ts'
import { backends } from '../contract/backend.ts'
import { readDocument } from '../contract/contract.ts'
import type { Validators } from '../contract/validators.ts'
import { checkHandlers } from '../http/handlers/handler.ts'
import { handlersOf } from '../http/handlers/operations.ts'
import { idempotentReplays } from '../http/handlers/replays.ts'
import type { Rooms } from '../http/handlers/rooms.ts'
import { docsFiles, type Health, type OutsidePaths, respondOutside } from '../http/outside/paths.ts'
import { type Core, createCore, type UnderWay } from '../http/pipeline/core.ts'
import { Cors } from '../http/pipeline/cors.ts'
import type { Services } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import { parse, steps } from '../http/pipeline/lifecycle.ts'
import { Idempotency } from '../http/pipeline/perform-once.ts'
import { problemResponse } from '../http/pipeline/problem.ts'
import { Router } from '../http/pipeline/routes.ts'
import type { RequestProxy } from '../proxy/proxy.ts'
import type { VaultOptions } from '../vault-options.ts'
import type { Around } from './around.ts'
import type { Development } from './development.ts'
import type { Storage } from './storage.ts'

interface HttpParts {
  readonly options: VaultOptions
  readonly headerPrefix: string
  readonly headerNames: HeaderNames
  readonly validators: Validators
  readonly storage: Pick<Storage, 'records' | 'clock' | 'random' | 'log' | 'turns'>
  readonly places: RequestPlaces
  readonly observer: Observer | undefined
  readonly audit: AuditRecorder
  readonly rooms: Rooms
  readonly requestProxy: RequestProxy | undefined
  readonly health: Health
  readonly requests: UnderWay
  readonly around: Around
  readonly development: Development | undefined
}

export async function createHttp(parts: HttpParts): Promise<Core> {
  const { options, headerPrefix, headerNames, validators, storage, rooms, development } = parts
  const { dialect, dev = false } = options
  const handlers = parts.around.handlers(handlersOf(rooms))
  checkHandlers(handlers, validators.operations)
  const paths: Mutable<OutsidePaths> = {
    health: parts.health,
    docs: docsFiles({ readDocument: () => readDocument(headerPrefix), dev }),
  }
  const translator =
    dialect && (await import('../http/pipeline/translator.ts')).translatorOf(dialect, headerNames)
  const services: Services = {
    // A translated request is checked as one of the contract.
    steps: parts.around.steps(
      translator ? steps.toSpliced(steps.indexOf(parse) + 1, 0, translator.read) : steps,
    ),
    router: new Router(backends.requests().router, validators.operations),
    validators,
    dialect,
    dev,
    strict: options.strict ?? false,
    handlers,
    idempotency: new Idempotency({
      records: storage.records,
      random: storage.random,
      clock: storage.clock,
      replays: idempotentReplays(rooms),
    }),
    random: storage.random,
    audit: parts.audit,
    log: storage.log,
    cors: new Cors(options.corsOrigins ?? (dev ? ['*'] : []), headerPrefix, dialect),
    outside: exchange => respondOutside(paths, exchange),
    requests: parts.requests,
    store: storage.records,
    clock: storage.clock,
    observer: parts.observer,
    places: parts.places,
    turns: storage.turns,
    headerNames,
    translator,
    proxy:
      parts.requestProxy && (await import('../http/pipeline/proxy-route.ts')).proxyDoor(parts.requestProxy),
    around: respond => parts.around.respond(respond),
    problem: development?.problem ?? ((exchange, refusal) => problemResponse(refusal, exchange.traceId)),
    check: development?.check ?? ((_, response) => response),
  }
  paths.dev = development?.endpoints(services)
  return createCore(services)
}
