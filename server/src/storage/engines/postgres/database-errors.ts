import { OperatorError } from '../../../base/operator-error.ts'

/** Thrown for a database that cannot be used; the message is for the operator. */
export class DatabaseRefused extends OperatorError {
  override readonly name = 'DatabaseRefused'
}

export class NoSchema extends DatabaseRefused {
  constructor() {
    super(
      'the database has no schema of surrogate-server: run surrogate-server migrate with the same --storage',
    )
  }
}

/** Thrown on a node that cannot change the schema: workers leave that to the coordinator. */
export class OnWorker extends DatabaseRefused {
  readonly #host: string | null
  readonly #port: number | null

  /** @param coordinator as the worker knows it; both are `null` if it does not */
  constructor({ host, port }: { readonly host: string | null; readonly port: number | null }) {
    const place = host === null ? '' : ` ${host}:${port}`
    super(
      `this database is a worker of Citus, and its schema is not ready: run surrogate-server migrate with the URL of the coordinator${place}`,
    )
    this.#host = host
    this.#port = port
  }

  /** Returns the URL of the coordinator for the same user; `undefined` if the worker does not know it. */
  coordinatorOf(url: string): string | undefined {
    if (this.#host === null) return undefined
    const located = new URL(url)
    located.host = this.#host.includes(':') ? `[${this.#host}]` : this.#host
    located.port = String(this.#port)
    if (located.searchParams.has('host')) located.searchParams.delete('host')
    return located.href
  }
}
