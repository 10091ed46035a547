/** The database cannot be used as it is; the message is one sentence for the operator. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}
