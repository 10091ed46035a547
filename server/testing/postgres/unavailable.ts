/** There is no PostgreSQL for tests here; the message says why. */
export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable'
}
