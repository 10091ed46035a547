import type * as contract from '../generated/types.gen.ts'

/**
 * A holder of an API key, and what it may do.
 *
 * @example
 * ```ts
 * const nameOf = ({ name, type }: Application) => `${name} (${type})`
 * console.log(nameOf(await surrogate.applications.getByKey()))
 * ```
 */
export type Application = contract.Application

/**
 * An application with its key, as it is answered once.
 *
 * @example
 * ```ts
 * const { key }: ApplicationWithKey = await surrogate.applications.regenerateKey('application-id')
 * ```
 */
export type ApplicationWithKey = contract.ApplicationWithKey

/**
 * What kind of key it is: `public`, `private` or `management`.
 *
 * @example
 * ```ts
 * const type: ApplicationType = 'private'
 * await surrogate.applications.create({ name: 'Backend', type, permissions: ['token:read'] })
 * ```
 */
export type ApplicationType = contract.ApplicationType

/**
 * What an application can be allowed to do.
 *
 * @example
 * ```ts
 * const permissions: ApplicationPermission[] = ['application:read', 'log:read']
 * await surrogate.applications.create({ name: 'Auditor', type: 'management', permissions })
 * ```
 */
export type ApplicationPermission = contract.ApplicationPermission

/**
 * What can be allowed on tokens, by a rule or to a session.
 *
 * @example
 * ```ts
 * const permissions: TokenPermission[] = ['token:create', 'token:read']
 * await surrogate.sessions.authorize({ nonce: 'nonce-from-the-page', permissions })
 * ```
 */
export type TokenPermission = contract.TokenPermission

/**
 * Permissions on some tokens, and how much of their data shows.
 *
 * @example
 * ```ts
 * const rule: AccessRule = {
 *   priority: 1,
 *   container: '/pci/',
 *   transform: 'mask',
 *   permissions: ['token:read', 'token:search'],
 * }
 * await surrogate.applications.update('application-id', { name: 'Support desk', rules: [rule] })
 * ```
 */
export type AccessRule = contract.AccessRule

/**
 * What has to hold of a token for a rule to speak of it.
 *
 * @example
 * ```ts
 * const condition: AccessCondition = { attribute: 'id', operator: 'equals', value: 'token-id' }
 * const rule: AccessRule = { priority: 1, conditions: [condition], transform: 'reveal', permissions: ['token:read'] }
 * ```
 */
export type AccessCondition = contract.AccessCondition

/**
 * How much of the data shows: none, its mask, or all.
 *
 * @example
 * ```ts
 * const transform: Transform = 'redact'
 * const rule: AccessRule = { priority: 2, container: '/', transform, permissions: ['token:read'] }
 * ```
 */
export type Transform = contract.Transform

/**
 * An application to be made.
 *
 * @example
 * ```ts
 * const request: CreateApplicationRequest = { name: 'Checkout page', type: 'public', permissions: ['token:create'] }
 * await surrogate.applications.create(request)
 * ```
 */
export type CreateApplicationRequest = contract.CreateApplicationRequest

/**
 * What an application is to be from now on; its type and its key stay.
 *
 * @example
 * ```ts
 * const request: UpdateApplicationRequest = { name: 'Checkout page', permissions: ['token:create'] }
 * await surrogate.applications.update('application-id', request)
 * ```
 */
export type UpdateApplicationRequest = contract.UpdateApplicationRequest

/**
 * A new session: its key, the nonce to authorize it by, and when it ends.
 *
 * @example
 * ```ts
 * const session: CreateSessionResponse = await surrogate.sessions.create()
 * console.log(session.expires_at)
 * ```
 */
export type CreateSessionResponse = contract.CreateSessionResponse

/**
 * What the session of a nonce may do, and until when.
 *
 * @example
 * ```ts
 * const request: AuthorizeSessionRequest = {
 *   nonce: 'nonce-from-the-page',
 *   permissions: ['token:create'],
 *   expires_at: new Date(Date.now() + 3_600_000).toISOString(),
 * }
 * await surrogate.sessions.authorize(request)
 * ```
 */
export type AuthorizeSessionRequest = contract.AuthorizeSessionRequest

/**
 * Something that was done, to what, and by whom.
 *
 * @example
 * ```ts
 * const sentence = ({ actor_id, operation, entity_id }: LogEntry) => `${actor_id} ${operation} ${entity_id}`
 * for await (const entry of surrogate.logs.list()) console.log(sentence(entry))
 * ```
 */
export type LogEntry = contract.LogEntry

/**
 * The kind of thing that a log entry is about.
 *
 * @example
 * ```ts
 * const entity_type: LogEntityType = 'session'
 * await surrogate.logs.list({ entity_type })
 * ```
 */
export type LogEntityType = contract.LogEntityType

/**
 * What a failed request answers (RFC 9457).
 *
 * @example
 * ```ts
 * const report = ({ type, detail, errors }: Problem) => console.error(type, detail, errors)
 * await surrogate.tokens.get('token-id').catch(error => {
 *   if (error instanceof APIError && error.problem) report(error.problem)
 * })
 * ```
 */
export type Problem = contract.Problem
