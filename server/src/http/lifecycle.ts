import { type Caller, holds, lacking } from '../access/caller.ts'
import { delegatedCaller } from '../access/delegation.ts'
import { authenticate } from '../access/keys.ts'
import { ServiceError } from '../base/errors.ts'
import { decodeUtf8, JsonError, parseJson, parseJsonInTurns } from '../base/json.ts'
import type { Turns } from '../base/turn.ts'
import type { Operation } from '../contract/contract.ts'
import type { Exchange, Services } from './exchange.ts'
import type { HandlerRequest } from './handlers/handler.ts'
import type { KeyedRequest } from './idempotency.ts'
import { bodyLimitOf, largeBody } from './limits.ts'
import type { CoreRequest } from './message.ts'
import { parsePathParameters, parseQuery } from './parameters.ts'
import { performOnce } from './perform-once.ts'

type Step = (exchange: Exchange, services: Services) => void | Promise<void>

/**
 * The order of checks, which callers can rely on. The first that fails answers:
 * route 404/405 → key 401 → kind and permission 403 → content type 415 → size 413 → body and parameters 400
 * → and then the operation itself: existence 404, container rules 403, state 409.
 */
// Requirements: ERR-506
export const lifecycle: readonly Step[] = [
  route,
  identify,
  authorize,
  checkContentType,
  readBody,
  parse,
  validate,
  perform,
]

function route(exchange: Exchange, { router }: Services): void {
  const { operation, parameters } = router.match(exchange.request.method, exchange.request.path)
  exchange.operation = operation
  exchange.rawParameters = parameters
}

// Requirements: AUT-001, ERR-508
async function identify(exchange: Exchange, { store, clock, keyHeader }: Services): Promise<void> {
  const { onBehalf, headers } = exchange.request
  if (onBehalf) {
    exchange.caller = await delegatedCaller(store, onBehalf, clock.nowUs())
    if (exchange.caller) return
    throw new ServiceError('unauthenticated', "the reactor's application is gone or expired")
  }
  const key = headers[keyHeader]
  if (!key) throw new ServiceError('unauthenticated', `the header ${keyHeader.toUpperCase()} is missing`)
  exchange.caller = await authenticate(store, key, clock.nowUs())
  if (!exchange.caller) throw new ServiceError('unauthenticated', 'the API key is unknown or expired')
}

// Requirements: ACC-509, ERR-509, INV-520
function authorize(exchange: Exchange, { validators }: Services): void {
  const { caller, operation, request } = reached(exchange)
  if (request.onBehalf && !operation.formula) throw beyondFormulas(operation, validators.operations)
  const bySession = caller.session !== undefined
  if (bySession ? !operation.session : !operation.applicationTypes.includes(caller.type)) {
    const kinds = operation.applicationTypes.join(' or ')
    throw new ServiceError('permission_denied', `this operation takes the key of a ${kinds} application`)
  }
  if (operation.permission !== null && !holds(caller, operation.permission)) {
    throw lacking(caller, operation.permission)
  }
}

/** What the code of a formula is told that asks for more than tokens and invocations. */
function beyondFormulas({ id }: Operation, operations: readonly Operation[]): ServiceError {
  const callable = operations.filter(({ formula }) => formula).map(operation => operation.id)
  return new ServiceError(
    'permission_denied',
    `the client of a formula cannot call ${id}; it can call ${callable.join(', ')}`,
  )
}

// Requirements: TOK-026, REA-011, ERR-504, ERR-510
function checkContentType(exchange: Exchange): void {
  const { operation, request } = reached(exchange)
  if (operation.bodyType === undefined) return
  const given = request.headers['content-type']
  if (given === undefined && !operation.bodyRequired) return
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

// Requirements: ERR-511
async function readBody(exchange: Exchange): Promise<void> {
  const { operation, request } = reached(exchange)
  if (operation.bodyType === undefined) return
  const limit = bodyLimitOf(operation.id)
  const bytes = await request.readBody(limit)
  if (!bytes) throw new ServiceError('payload_too_large', `the body must not be longer than ${limit} bytes`)
  exchange.bytes = bytes
}

// Requirements: ERR-503, ERR-513
function parse(exchange: Exchange, { turns }: Services): void | Promise<void> {
  const { operation, request } = reached(exchange)
  exchange.parameters = parsePathParameters(exchange.rawParameters ?? {}, operation.uuidParameters)
  exchange.query = parseQuery(request.query, operation.queryParameters)
  const { bytes } = exchange
  if (!bytes || (bytes.length === 0 && !operation.bodyRequired)) return
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new ServiceError('malformed_json', 'the body is not UTF-8')
  if (bytes.length > largeBody) return parseLarge(exchange, text, turns())
  try {
    exchange.body = parseJson(text)
  } catch (error) {
    throw aboutBody(error)
  }
}

async function parseLarge(exchange: Exchange, text: string, turns: Turns): Promise<void> {
  try {
    exchange.body = await parseJsonInTurns(text, turns)
  } catch (error) {
    throw aboutBody(error)
  }
}

function aboutBody(error: unknown): unknown {
  if (!(error instanceof JsonError)) return error
  return new ServiceError('malformed_json', `the body ${error.message} (at character ${error.offset})`, {
    ...(error.path === '' ? {} : { errors: { [error.path]: [error.message] } }),
  })
}

function validate(exchange: Exchange, { validators, idempotencyHeader }: Services): void {
  const { operation, request } = reached(exchange)
  validators.checkRequest(operation, {
    path: exchange.parameters ?? {},
    query: exchange.query ?? {},
    idempotencyKey: request.headers[idempotencyHeader],
    requestBody: exchange.body,
  })
}

async function perform(exchange: Exchange, services: Services): Promise<void> {
  const { operation, caller } = reached(exchange)
  const handler = services.handlers[operation.id]
  if (!handler) throw new Error(`no handler for ${operation.id}`)
  const request: HandlerRequest = {
    caller,
    path: exchange.parameters ?? {},
    query: exchange.query ?? {},
    body: exchange.body,
    traceId: exchange.traceId,
    depth: exchange.request.onBehalf?.depth ?? 0,
  }
  const keyed = operation.idempotent ? keyedRequest(exchange, operation, services) : undefined
  exchange.answer = keyed
    ? await performOnce(services, operation.id, handler, request, keyed)
    : await handler(request)
}

function keyedRequest(
  { request, bytes, parameters, query }: Exchange,
  operation: Operation,
  services: Services,
): KeyedRequest | undefined {
  const idempotencyKey = request.headers[services.idempotencyHeader]
  const apiKey = request.onBehalf?.secret ?? request.headers[services.keyHeader]
  if (idempotencyKey === undefined || apiKey === undefined) return undefined
  // Requirements: IDE-523
  // As they were read: a slash at the end and another spelling of an id make no other request.
  const target = JSON.stringify([operation.id, parameters, query])
  return { apiKey, idempotencyKey, target, body: bytes ?? new Uint8Array() }
}

/** The parts of an exchange that the first steps have filled in. */
function reached(exchange: Exchange): { operation: Operation; caller: Caller; request: CoreRequest } {
  const { operation, caller, request } = exchange
  if (!operation || !caller) throw new Error('a step of the lifecycle ran before its turn')
  return { operation, caller, request }
}
