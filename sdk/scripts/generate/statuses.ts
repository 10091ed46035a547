interface ErrorClass {
  readonly status: number
  /** The name of the class without `Error`. */
  readonly name: string
  /** The response of the contract that describes it, or a text where the contract has none. */
  readonly response?: string
  readonly text?: string
  readonly isOfServer?: boolean
}

/** The statuses that the client has a class for. */
export const errors: readonly ErrorClass[] = [
  { status: 400, name: 'BadRequest', response: 'BadRequest' },
  { status: 401, name: 'Authentication', response: 'Unauthenticated' },
  { status: 402, name: 'PaymentMethod', response: 'PaymentMethodRefused' },
  { status: 403, name: 'Permission', response: 'Forbidden' },
  { status: 404, name: 'NotFound', response: 'NotFound' },
  { status: 409, name: 'Conflict', response: 'Conflict' },
  { status: 413, name: 'PayloadTooLarge', response: 'PayloadTooLarge' },
  { status: 415, name: 'UnsupportedMediaType', response: 'UnsupportedMediaType' },
  { status: 422, name: 'Unprocessable', response: 'Unprocessable' },
  { status: 429, name: 'RateLimit', response: 'RateLimited' },
  {
    status: 501,
    name: 'NotImplemented',
    text: 'The server does not implement the operation.',
    isOfServer: true,
  },
  { status: 503, name: 'ServiceUnavailable', response: 'Unavailable', isOfServer: true },
]

/** Returns the name of the class of a status. */
export const errorName = (status: string): string | undefined => {
  const found = errors.find(one => String(one.status) === status)?.name ?? (/^5/.test(status) && 'Server')
  return found ? `${found}Error` : undefined
}
