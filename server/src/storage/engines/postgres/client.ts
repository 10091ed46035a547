import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import pg, { type ClientConfig } from 'pg'

const bound = 'SCRAM-SHA-256-PLUS'

/** Members of the driver's client that are not in its types. */
interface Inner {
  readonly connection: EventEmitter & { readonly stream: Duplex }
  _handleAuthSASL(message: { readonly mechanisms: readonly string[] }): void
}

/**
 * The driver's client, which closes its connection where it cannot go on. The driver leaves that to the database, which
 * waits a minute for a password: until then the connection would keep the process running.
 */
export class ClosingClient extends pg.Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const { connection } = this as unknown as Inner
    connection.once('error', () => connection.stream.destroy())
  }
}

/** Thrown for a server that asks for the password in a way that somebody in between could pass on. */
export class Unbound extends Error {
  override readonly name = 'Unbound'

  constructor() {
    super('it does not offer SCRAM with channel binding over TLS')
  }
}

/**
 * Client for `channel_binding=require`: proves that it knows the password only to the server at the other end of its TLS
 * connection. The driver alone would do it in whatever way it is asked.
 */
export class BoundClient extends ClosingClient {
  _handleAuthCleartextPassword(): void {
    this.#refuse()
  }

  _handleAuthMD5Password(): void {
    this.#refuse()
  }

  _handleAuthSASL(message: { readonly mechanisms: readonly string[] }): void {
    if (!message.mechanisms.includes(bound)) this.#refuse()
    else (pg.Client.prototype as unknown as Inner)._handleAuthSASL.call(this, message)
  }

  #refuse(): void {
    const { connection } = this as unknown as Inner
    connection.emit('error', new Unbound())
  }
}
