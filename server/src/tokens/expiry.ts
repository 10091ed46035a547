import { invalid } from '../base/errors.ts'
import { type Expiration, expirationSpellings, parseExpiration } from '../base/expiration.ts'

/** As `parseExpiration`, and it must lie in the future. @throws {ServiceError} validation */
// Requirements: TOK-015, TOK-505
export function readExpiration(text: string, nowUs: number, path = 'expires_at'): Expiration {
  const expiration = parseExpiration(text)
  if (!expiration) throw invalid(path, `must be ${expirationSpellings}`)
  if (expiration.ms * 1000 <= nowUs) throw invalid(path, 'must lie in the future')
  return expiration
}
