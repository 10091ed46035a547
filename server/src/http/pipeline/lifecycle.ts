import { type Caller, holds, missingPermission } from '../../access/caller.ts'
import { type Delegation, delegatedCaller } from '../../access/delegation.ts'
import { authenticate, isSessionKey } from '../../access/keys.ts'
import { ServiceError } from '../../base/errors.ts'
import { after } from '../../base/flow/event-loop.ts'
import { largeBody } from '../../base/limits.ts'
import type { Mutable } from '../../base/mutable.ts'
import { isProxied, type Operation } from '../../contract/contract.ts'
import { asInContract } from '../../contract/dialect.ts'
import { refuseSuspects } from '../../contract/validators.ts'
import type { OperationId } from '../../generated/operations.ts'
import { handlerOf, type ValidatedRequest } from '../handlers/handler.ts'
import type { Answer } from '../transport/message.ts'
import type { Exchange, Services, Step } from './exchange.ts'
import type { KeyedRequest } from './idempotency.ts'
import { decodePlain, parseBody, parseBodyInTurns, readBodyWithin } from './input.ts'
import { inCamelCase, parsePathParameters, parseQuery, withDefaults } from './parameters.ts'
import { noSuchPath } from './routes.ts'

/**
 * The order of checks, which callers can rely on. The first check that fails decides the response:
 * route 404/405 → key 401 → kind and permission 403 → content type 415 → size 413 → too many of the tenant at once 429
 * → body and parameters 400 → the operation itself: existence 404, container rules 403, state 409.
 */
// Requirements: ERR-506
export const steps: readonly Step[] = [
  route,
  identify,
  authorize,
  checkContentType,
  readBody,
  takePlace,
  parse,
  validate,
  perform,
]

function route(exchange: Exchange, { router, proxy }: Services): void {
  const proxied = proxy?.match(exchange.request)
  if (proxied) {
    exchange.operation = proxied
    return
  }
  // It is there only if something may be a target.
  if (!proxy && /^\/proxy(\/|$)/.test(exchange.request.path)) throw new ServiceError('not_found', noSuchPath)
  const { operation, parameters } = router.match(exchange.request.method, exchange.request.path)
  exchange.operation = operation
  exchange.rawParameters = parameters
}

// Requirements: AUT-001, ERR-508, AUT-015, ERR-520, WIR-545
export function identify(exchange: Exchange, services: Services): void | Promise<void> {
  const { delegation } = exchange.request
  return delegation ? identifyDelegate(exchange, delegation, services) : identifyByKey(exchange, services)
}

function identifyByKey(exchange: Exchange, services: Services): void | Promise<void> {
  const { records, clock, headerNames } = services
  const key = exchange.request.headers[headerNames.key]
  if (!key) {
    throw new ServiceError('unauthenticated', `the header ${headerNames.key.toUpperCase()} is missing`)
  }
  const found = authenticate(records, key, clock.nowUs)
  return after(found, caller => {
    if (!caller) throw new ServiceError('unauthenticated', unknownKey(key))
    caller.request = exchange.request
    exchange.caller = caller
  })
}

/** Says nothing of whether there was such a key, only what kind it would be. */
function unknownKey(key: string): string {
  return isSessionKey(key)
    ? 'the session is over, or its key is unknown; create another session'
    : 'the API key is unknown or expired'
}

async function identifyDelegate(
  exchange: Exchange,
  delegation: Delegation,
  { records, clock }: Services,
): Promise<void> {
  const caller = await delegatedCaller(records, delegation, clock.nowUs(delegation.tenant))
  if (caller) {
    caller.request = exchange.request
    exchange.caller = caller
    return
  }
  throw new ServiceError('unauthenticated', "the reactor's application is gone or expired")
}

// Requirements: ACC-509, ERR-509, INV-520, AUT-016, ACC-542
export function authorize(exchange: Exchange, { validators }: Services): void {
  const { caller, operation, request } = identified(exchange)
  if (request.delegation && !operation.formula) {
    const callable = validators.operations.filter(({ formula }) => formula).map(({ id }) => id)
    throw new ServiceError(
      'permission_denied',
      `the client of a formula cannot call ${operation.id}; it can call ${callable.join(', ')}`,
    )
  }
  const bySession = caller.session !== undefined
  if (bySession ? !operation.session : !operation.applicationTypes.includes(caller.type)) {
    const kinds = operation.applicationTypes.join(' or ')
    throw new ServiceError('permission_denied', `this operation takes the key of a ${kinds} application`)
  }
  if (operation.permission !== null && !holds(caller, operation.permission)) {
    throw missingPermission(caller, operation.permission)
  }
}

// Requirements: TOK-026, REA-011, ERR-504, ERR-510
function checkContentType(exchange: Exchange): void {
  const { operation, request } = reached(exchange)
  if (operation.bodyType === undefined) return
  const given = request.headers['content-type']
  if (given === operation.bodyType || (given === undefined && !operation.bodyRequired)) return
  const [type = '', ...parameters] = (given ?? '').split(';').map(part => part.trim().toLowerCase())
  const charset = parameters.find(parameter => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type !== operation.bodyType || !isUtf8) {
    throw new ServiceError(
      'unsupported_media_type',
      `the content type must be ${operation.bodyType}, in UTF-8`,
    )
  }
}

export function readBody(exchange: Exchange): void | Promise<void> {
  const { operation, request } = reached(exchange)
  if (operation.bodyType === undefined) return
  return readBodyWithin(request, operation.bodyBytes, exchange.caller?.tenant ?? '').then(bytes => {
    exchange.bytes = bytes
  })
}

/** Waits for a place, if there is one for such requests, and for a turn. The client of a formula has that of the formula. */
function takePlace(exchange: Exchange, { places, turns }: Services): void | Promise<void> {
  const { operation, request, caller } = identified(exchange)
  const found = places.for(operation.place, exchange.bytes?.length ?? 0)
  if (!found) return
  if (request.delegation) return turns.pass(caller)
  exchange.places = found
  const taken = found.take(caller)
  return taken ? taken.then(() => turns.pass(caller)) : turns.pass(caller)
}

export function parse(exchange: Exchange, { turns, dialect }: Services): void | Promise<void> {
  const { operation, request, caller } = reached(exchange)
  exchange.parameters = parsePathParameters(exchange.rawParameters ?? {})
  // The query of a proxied request is that of its target.
  if (!isProxied(operation)) {
    const { queryParameters: own } = operation
    const accepted = dialect?.camelCaseMembers ? [...own, ...inCamelCase(own)] : own
    exchange.query = parseQuery(request.query, accepted)
  }
  const { bytes } = exchange
  if (!bytes || (bytes.length === 0 && !operation.bodyRequired)) return
  if (operation.bodyType === 'text/plain') exchange.body = decodePlain(bytes)
  else if (bytes.length <= largeBody) exchange.body = parseBody(bytes)
  else
    return parseBodyInTurns(bytes, () => caller && turns.pass(caller)).then(body => {
      exchange.body = body
    })
}

export function validate(exchange: Exchange, { validators, headerNames, dialect, strict }: Services): void {
  const { operation, request } = reached(exchange)
  if (isProxied(operation)) return
  // From elsewhere, members that the contract does not name are ignored.
  if (request.delegation) validators.refuseOtherSpellings(operation, exchange.body)
  const isRights = dialect && exchange.body !== undefined && operation.entityType === 'application'
  validators.checkRequest(operation, {
    path: exchange.parameters ?? {},
    query: exchange.query ?? {},
    idempotencyKey: request.headers[headerNames.idempotency],
    requestBody: isRights ? asInContract(dialect, exchange.body ?? null) : exchange.body,
  })
  // After what is wrong for every server.
  if (strict && exchange.body !== undefined) refuseSuspects(validators.suspects(operation, exchange.body))
}

/** Does what the request asks for, once it is checked. */
async function perform(exchange: Exchange, services: Services): Promise<void> {
  const { operation, caller } = identified(exchange)
  // Its response is that of another service.
  if (isProxied(operation)) exchange.forwarded = await services.proxy?.forward(exchange, caller)
  else exchange.answer = await answerOf(exchange, operation, caller, services)
}

function answerOf(
  exchange: Exchange,
  operation: Operation,
  caller: Caller,
  services: Services,
): Promise<Answer> {
  // Operations of development servers have handlers of another kind.
  const id = operation.id as OperationId
  const handler = handlerOf(services.handlers, id)
  const request: Mutable<ValidatedRequest> = {
    caller,
    path: exchange.parameters ?? {},
    query: withDefaults(exchange.query ?? {}, operation.queryParameters),
    body: exchange.body,
    traceId: exchange.traceId,
    depth: exchange.request.delegation?.depth ?? 0,
  }
  const keyed = operation.idempotent ? keyedRequest(exchange, operation, services) : undefined
  const handle = () => (keyed ? services.idempotency.perform(id, handler, request, keyed) : handler(request))
  return exchange.observed?.perform(operation, caller, handle) ?? handle()
}

function keyedRequest(
  { request, bytes, parameters, query }: Exchange,
  operation: Operation,
  services: Services,
): KeyedRequest | undefined {
  const idempotencyKey = request.headers[services.headerNames.idempotency]
  const apiKey = request.delegation?.secret ?? request.headers[services.headerNames.key]
  if (idempotencyKey === undefined || apiKey === undefined) return undefined
  // Requirements: IDE-523
  // The parsed parameters: a slash at the end or another spelling of an id does not make another request.
  const target = JSON.stringify([operation.id, parameters, query])
  return { apiKey, idempotencyKey, target, body: bytes ?? new Uint8Array() }
}

/** Returns the parts of an exchange that the first step has filled in. */
function reached({ operation, request, caller }: Exchange) {
  if (!operation) throw new Error('a step of the lifecycle ran before its turn')
  return { operation, request, caller }
}

/** Like `reached`, with the caller. */
function identified({ operation, request, caller }: Exchange) {
  if (!operation || !caller) throw new Error('a step of the lifecycle ran before its turn')
  return { operation, request, caller }
}
