import { ServiceError } from '../errors.ts'
import { JsonError } from './json.ts'

/** Returns the refusal of a body whose JSON has this error. Other errors stay what they are. */
// Requirements: ERR-503, ERR-513
export function toMalformedJson(error: unknown): unknown {
  if (!(error instanceof JsonError)) return error
  return new ServiceError('malformed_json', `the body ${error.message} (at character ${error.offset})`, {
    ...(error.path === '' ? {} : { errors: { [error.path]: [error.message] } }),
  })
}
