import type { Call } from '../call.ts'
import { sessionsAuthorize, sessionsCreate } from '../generated/operations.gen.ts'
import type { AuthorizeSessionRequest, CreateSessionResponse } from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { type Send, sendBy } from '../transport.ts'

/** Short-lived keys for code in places that you do not control, such as a browser. */
export class Sessions {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Creates a session with a public key. Returns its `session_key`, a one-time `nonce` and `expires_at`, three minutes
   * from now. The session has no permissions until a private key has authorized it.
   *
   * Throws `PermissionError` if the key does not belong to a public application.
   *
   * @example
   * ```ts
   * const { session_key, nonce } = await surrogate.sessions.create()
   * const page = surrogate.withSession(session_key)
   * ```
   */
  create(options?: RequestOptions): Call<CreateSessionResponse> {
    return this.#send(sessionsCreate, {}, options)
  }

  /**
   * Grants permissions or access rules to the session of a nonce, with a private key. The session may do what both the
   * grant and the authorizing key allow. How much data it sees depends on the grant alone.
   *
   * Throws `NotFoundError` if the nonce is unknown or its session has expired, `ConflictError` if it was used, and
   * `PermissionError` if the key itself does not hold what it grants. The nonce stays usable after an error.
   *
   * @example
   * ```ts
   * await surrogate.sessions.authorize({ nonce: 'nonce-from-the-page', permissions: ['token:create'] })
   * ```
   */
  authorize(body: AuthorizeSessionRequest, options?: RequestOptions): Call<void> {
    return this.#send(sessionsAuthorize, { body }, options) as Call<void>
  }
}
