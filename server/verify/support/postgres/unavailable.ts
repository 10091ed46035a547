/** Thrown where tests cannot have a PostgreSQL server; the message has the reason. */
export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable'
}
