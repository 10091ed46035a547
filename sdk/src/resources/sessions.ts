import type { AuthorizeSessionRequest, CreateSessionResponse } from '../generated/types.gen.ts'
import type { RequestOptions } from '../options.ts'
import type { Send } from '../transport.ts'

/** Short-lived keys for code that runs in places you do not control, such as a browser. */
export class Sessions {
  readonly #send: Send

  /** @internal */
  constructor(send: Send) {
    this.#send = send
  }

  /**
   * Makes a session with a public key: its `session_key`, a one-time `nonce` and `expires_at`, three minutes from now.
   * The session may do nothing until a private key has authorized it.
   *
   * Throws `PermissionError` if the key is not that of a public application.
   *
   * @example
   * ```ts
   * const { session_key, nonce } = await surrogate.sessions.create()
   * const page = surrogate.withSession(session_key)
   * ```
   */
  create(options?: RequestOptions): Promise<CreateSessionResponse> {
    return this.#send('sessions.create', {}, options)
  }

  /**
   * Grants permissions or access rules to the session that belongs to a nonce, with a private key. The session may do
   * what both the grant and the authorizing key allow; how much of the data it sees is the grant's to say.
   *
   * Throws `NotFoundError` if the nonce is unknown or its session has expired, `ConflictError` if it was used,
   * `PermissionError` if the key itself does not hold what it grants. A refused call leaves the nonce usable.
   *
   * @example
   * ```ts
   * await surrogate.sessions.authorize({ nonce: 'nonce-from-the-page', permissions: ['token:create'] })
   * ```
   */
  async authorize(body: AuthorizeSessionRequest, options?: RequestOptions): Promise<void> {
    await this.#send('sessions.authorize', { body }, options)
  }
}
