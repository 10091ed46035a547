import { APIError, type ErrorAnswer, nameErrors } from './errors.ts'
import type { Problem } from './generated/types.gen.ts'

// The literal types of `name` make the classes distinct for TypeScript.

/**
 * 400: the request is not valid. `errors` has messages by member.
 *
 * @example
 * ```ts
 * await surrogate.tokens.create({ type: 'card', data: { number: '4242' } }).catch(error => {
 *   if (error instanceof BadRequestError) console.error(error.errors['data.number'])
 * })
 * ```
 */
export class BadRequestError extends APIError {
  declare readonly name: 'BadRequestError'
}

/**
 * 401: the key is missing, unknown or expired.
 *
 * @example
 * ```ts
 * await surrogate.applications.getByKey().catch(error => {
 *   if (error instanceof AuthenticationError) console.error('this key is not valid')
 * })
 * ```
 */
export class AuthenticationError extends APIError {
  declare readonly name: 'AuthenticationError'
}

/**
 * 402: a formula refused the payment method.
 *
 * @example
 * ```ts
 * await surrogate.reactors.react('reactor-id', {}).catch(error => {
 *   if (error instanceof PaymentMethodError) console.error('please use another card')
 * })
 * ```
 */
export class PaymentMethodError extends APIError {
  declare readonly name: 'PaymentMethodError'
}

/**
 * 403: the key has no permission for this operation, or not in this container.
 *
 * @example
 * ```ts
 * await surrogate.tokens.delete('token-id').catch(error => {
 *   if (error instanceof PermissionError) console.error('ask for token:delete')
 * })
 * ```
 */
export class PermissionError extends APIError {
  declare readonly name: 'PermissionError'
}

/**
 * 404: the resource does not exist in the tenant of the key.
 *
 * @example
 * ```ts
 * const token = await surrogate.tokens.get('token-id').catch(error => {
 *   if (error instanceof NotFoundError) return undefined
 *   throw error
 * })
 * ```
 */
export class NotFoundError extends APIError {
  declare readonly name: 'NotFoundError'
}

/**
 * 409: the id is taken, the nonce was used, the resource is in use, or the same request is still running.
 *
 * @example
 * ```ts
 * await surrogate.tokens.create({ id: 'my-id', type: 'token', data: 1 }).catch(error => {
 *   if (error instanceof ConflictError) console.error('my-id is taken')
 * })
 * ```
 */
export class ConflictError extends APIError {
  declare readonly name: 'ConflictError'
}

/**
 * 413: the request body is too large for the server.
 *
 * @example
 * ```ts
 * await surrogate.tokenize(['one', 'two']).catch(error => {
 *   if (error instanceof PayloadTooLargeError) console.error('send it in parts')
 * })
 * ```
 */
export class PayloadTooLargeError extends APIError {
  declare readonly name: 'PayloadTooLargeError'
}

/**
 * 415: the server does not accept this content type.
 *
 * @example
 * ```ts
 * await surrogate.tokenize(['one']).catch(error => {
 *   if (error instanceof UnsupportedMediaTypeError) console.error('does a proxy change requests?')
 * })
 * ```
 */
export class UnsupportedMediaTypeError extends APIError {
  declare readonly name: 'UnsupportedMediaTypeError'
}

/**
 * 422: the formula cannot run, or the idempotency key was used for a different request.
 *
 * @example
 * ```ts
 * await surrogate.reactors.react('reactor-id', {}).catch(error => {
 *   if (error instanceof UnprocessableError) console.error(error.problem?.detail)
 * })
 * ```
 */
export class UnprocessableError extends APIError {
  declare readonly name: 'UnprocessableError'
}

/**
 * 429: there were too many requests, after all retries or with a `Retry-After` of more than a minute.
 *
 * @example
 * ```ts
 * await surrogate.reactors.react('reactor-id', {}).catch(error => {
 *   if (error instanceof RateLimitError) console.error(error.headers.get('retry-after'))
 * })
 * ```
 */
export class RateLimitError extends APIError {
  declare readonly name: 'RateLimitError'
}

/**
 * 500 to 599: the server or a formula failed.
 *
 * @example
 * ```ts
 * await surrogate.tokens.get('token-id').catch(error => {
 *   if (error instanceof ServerError) console.error('report this', error.traceId)
 * })
 * ```
 */
export class ServerError extends APIError {
  declare readonly name: 'ServerError' | 'NotImplementedError' | 'ServiceUnavailableError'
}

/**
 * 501: the server does not implement the operation.
 *
 * @example
 * ```ts
 * await surrogate.tokens.search({}).catch(error => {
 *   if (error instanceof NotImplementedError) console.error('not on this server')
 * })
 * ```
 */
export class NotImplementedError extends ServerError {
  declare readonly name: 'NotImplementedError'
}

/**
 * 503: the server cannot reach its storage.
 *
 * @example
 * ```ts
 * await surrogate.tokens.get('token-id').catch(error => {
 *   if (error instanceof ServiceUnavailableError) console.error('try again later')
 * })
 * ```
 */
export class ServiceUnavailableError extends ServerError {
  declare readonly name: 'ServiceUnavailableError'
}

const classes = {
  BadRequest: BadRequestError,
  Authentication: AuthenticationError,
  PaymentMethod: PaymentMethodError,
  Permission: PermissionError,
  NotFound: NotFoundError,
  Conflict: ConflictError,
  PayloadTooLarge: PayloadTooLargeError,
  UnsupportedMediaType: UnsupportedMediaTypeError,
  Unprocessable: UnprocessableError,
  RateLimit: RateLimitError,
  NotImplemented: NotImplementedError,
  ServiceUnavailable: ServiceUnavailableError,
  Server: ServerError,
}
nameErrors(classes)

/** The statuses of `classes`, in their order. */
const statuses = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 501, 503]

/**
 * Creates the error for a response without success; `reason` is used if there is no problem document. Messages end up
 * in logs: unless the texts of `errors` are known to come from the server itself, only the names of members are used.
 */
export function errorFor(answer: ErrorAnswer, reason: string, areReasonsSafe: boolean): APIError {
  const { status, headers } = answer
  const ErrorClass: typeof APIError =
    Object.values(classes)[statuses.indexOf(status)] ?? (status > 499 ? ServerError : APIError)
  const problem = (answer.body ?? {}) as Problem
  const { title, detail, errors = {} } = problem
  if (
    !/\/problem\+json/i.test(headers.get('content-type') as string) ||
    typeof title !== 'string' ||
    Object(errors) !== errors
  )
    return new ErrorClass(`${status}: ${reason}`, answer)
  const reasons = Object.entries(errors).flatMap(([name, texts]) =>
    areReasonsSafe ? [texts].flat().map(text => `${name}: ${text}`) : name,
  )
  // The first three reasons; `errors` has all of them.
  const { length } = reasons.splice(3)
  if (length) reasons.push(`${length} more`)
  const parts = [`${status} ${title}`, !(areReasonsSafe && reasons[0]) && detail, reasons.join('; ')]
  return new ErrorClass(parts.filter(Boolean).join(': '), { ...answer, problem })
}
