import { type Call, mapCall } from '../call.ts'
import {
  reactorsCreate,
  reactorsDelete,
  reactorsGet,
  reactorsList,
  reactorsPatch,
  reactorsReact,
  reactorsUpdate,
} from '../generated/operations.gen.ts'
import type {
  CreateReactorRequest,
  PatchReactorRequest,
  Reactor,
  ReactorsListData,
  ReactRequest,
  UpdateReactorRequest,
} from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'
import type {
  AcceptedInvocation,
  ArgumentsOf,
  Declaration,
  Invocation,
  ReactorResult,
} from '../typed-formulas.ts'

/**
 * Filters of a reactor list and the page: `id`, `name` (`*` stands for any number of characters), `page` from 1, `size`
 * from 1 to 100.
 *
 * @example
 * ```ts
 * const query: ReactorQuery = { name: 'charge*', size: 50 }
 * ```
 */
export type ReactorQuery = NonNullable<ReactorsListData['query']>

/** Configured instances of formulas. All calls need a management key, except `react`, which needs a private one. */
export class Reactors {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Creates a configured instance of a formula. Needs `reactor:create`.
   *
   * Throws `BadRequestError` if the configuration does not fit the formula, or an id in the body does not exist.
   *
   * @example
   * ```ts
   * const reactor = await surrogate.reactors.create({
   *   name: 'Charge',
   *   formula: { id: 'formula-id' },
   *   configuration: { PROCESSOR_URL: 'https://processor.example.org' },
   *   application: { id: 'application-id' },
   * })
   * ```
   */
  create(body: CreateReactorRequest, options?: RequestOptions): Call<Reactor> {
    return this.#send(reactorsCreate, { body }, options)
  }

  /**
   * Returns one reactor, with its formula as it is now. Needs `reactor:read`.
   *
   * Throws `NotFoundError` if there is no such reactor.
   *
   * @example
   * ```ts
   * const { formula } = await surrogate.reactors.get('reactor-id')
   * ```
   */
  get(id: string, options?: RequestOptions): Call<Reactor> {
    return this.#send(reactorsGet, { id }, options)
  }

  /**
   * Replaces name, configuration and application; without `application` the reactor has none afterwards. Needs
   * `reactor:update`.
   *
   * Throws `BadRequestError` if the configuration does not fit the formula, `NotFoundError` if there is no such reactor.
   *
   * @example
   * ```ts
   * await surrogate.reactors.update('reactor-id', { name: 'Charge in EUR', configuration: { CURRENCY: 'EUR' } })
   * ```
   */
  update(id: string, body: UpdateReactorRequest, options?: RequestOptions): Call<Reactor> {
    return this.#send(reactorsUpdate, { id, body }, options)
  }

  /**
   * Changes the given members by JSON merge patch: `null` removes one. Returns nothing. Needs `reactor:update`.
   *
   * Throws `BadRequestError` if the result is not valid, `NotFoundError` if there is no such reactor.
   *
   * @example
   * ```ts
   * await surrogate.reactors.patch('reactor-id', { configuration: { CURRENCY: 'USD' }, application: null })
   * ```
   */
  patch(id: string, body: PatchReactorRequest, options?: RequestOptions): Call<void> {
    return this.#send(reactorsPatch, { id, body }, options)
  }

  /**
   * Deletes a reactor. Its formula and the tokens that it created remain. Needs `reactor:delete`.
   *
   * Throws `NotFoundError` if there is no such reactor.
   *
   * @example
   * ```ts
   * await surrogate.reactors.delete('reactor-id')
   * ```
   */
  delete(id: string, options?: RequestOptions): Call<void> {
    return this.#send(reactorsDelete, { id }, options)
  }

  /**
   * Lists the tenant's reactors, newest first. Needs `reactor:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const reactor of surrogate.reactors.list()) console.log(reactor.name)
   * ```
   */
  list(query?: ReactorQuery, options?: RequestOptions): Pages<Reactor> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(reactorsList, { query }, options)),
    )
  }

  /**
   * Replaces the `{{ token-id }}` expressions in `args` by token data, runs the formula and returns its result. With
   * `callback_url` it returns the trace id as soon as the request is accepted, and the result is sent there as a webhook
   * with the same trace id. If the formula chose a 2xx response itself, its body is returned. Needs `token:use` on each
   * container of each token.
   *
   * The type of a formula as the second type argument lets the compiler check `args` against its parameters.
   *
   * Throws `BadRequestError` if a token does not exist or an argument does not fit, `UnprocessableError` if the formula
   * cannot run, `ServerError` if it failed, and for a status that the formula chose the class of that status. A failed
   * formula is not run again. Retries after other failures carry the same idempotency key, so that a success is not
   * repeated.
   *
   * @example
   * ```ts
   * const { raw } = await surrogate.reactors.react<{ charge: string }>('reactor-id', {
   *   args: { card: '{{ token-id }}', amount: 1250 },
   * })
   * ```
   */
  react<Raw = unknown, Formula extends Declaration = Declaration>(
    id: string,
    body: Invocation<ArgumentsOf<Formula>> & { callback_url?: null },
    options?: RequestOptions,
  ): Call<ReactorResult<Raw>>
  react<_Raw = unknown, Formula extends Declaration = Declaration>(
    id: string,
    body: Invocation<ArgumentsOf<Formula>> & { callback_url: string },
    options?: RequestOptions,
  ): Call<AcceptedInvocation>
  react<Raw = unknown, Formula extends Declaration = Declaration>(
    id: string,
    body: Invocation<ArgumentsOf<Formula>>,
    options?: RequestOptions,
  ): Call<ReactorResult<Raw> | AcceptedInvocation>
  react(id: string, body: Invocation, options?: RequestOptions): Call<never> {
    const call = this.#send(reactorsReact, { id, body: body as ReactRequest }, options)
    const isAsync = typeof body.callback_url === 'string'
    return (isAsync ? mapCall(call, ({ traceId }) => ({ traceId })) : call) as Call<never>
  }
}
