import type { Call } from '../call.ts'
import {
  reactorFormulasCreate,
  reactorFormulasDelete,
  reactorFormulasGet,
  reactorFormulasList,
  reactorFormulasUpdate,
} from '../generated/operations.gen.ts'
import type {
  ReactorFormula,
  ReactorFormulaRequest,
  ReactorFormulasListData,
  RequestParameterDefinition,
} from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'
import type { DeclaredFormula, FormulaRequest } from '../typed-formulas.ts'

/**
 * Filters of a formula list and the page: `name` (`*` stands for any number of characters), `page` from 1, `size` from 1
 * to 100.
 *
 * @example
 * ```ts
 * const query: ReactorFormulaQuery = { name: 'charge*', size: 50 }
 * ```
 */
export type ReactorFormulaQuery = NonNullable<ReactorFormulasListData['query']>

/** Code templates that reactors are made from. All calls need a management key. */
export class ReactorFormulas {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Stores a formula. The code is not compiled yet: syntax errors show when a reactor of the formula is invoked. Needs
   * `reactor:create`.
   *
   * Throws `BadRequestError` if a member is not valid.
   *
   * @example
   * ```ts
   * const formula = await surrogate.reactorFormulas.create({
   *   name: 'Last four digits',
   *   type: 'private',
   *   code: 'module.exports = async req => ({ raw: { last4: req.args.number.slice(-4) } })',
   *   request_parameters: [{ name: 'number', type: 'string' }],
   * })
   * ```
   */
  create<const Parameters extends readonly RequestParameterDefinition[]>(
    body: FormulaRequest<Parameters>,
    options?: RequestOptions,
  ): Call<DeclaredFormula<Parameters>> {
    return this.#send(reactorFormulasCreate, { body: body as ReactorFormulaRequest }, options) as Call<never>
  }

  /**
   * Returns one formula, the tenant's own or an official one. Needs `reactor:read`.
   *
   * Throws `NotFoundError` if there is no such formula.
   *
   * @example
   * ```ts
   * const { code } = await surrogate.reactorFormulas.get('formula-id')
   * ```
   */
  get(id: string, options?: RequestOptions): Call<ReactorFormula> {
    return this.#send(reactorFormulasGet, { id }, options)
  }

  /**
   * Replaces a whole formula; its reactors use the new code. Needs `reactor:update`.
   *
   * Throws `BadRequestError` if a member is not valid, `NotFoundError` if there is no such formula.
   *
   * @example
   * ```ts
   * const { id, name, type } = await surrogate.reactorFormulas.get('formula-id')
   * await surrogate.reactorFormulas.update(id, { name, type, code: 'module.exports = async () => ({ raw: 1 })' })
   * ```
   */
  update(id: string, body: ReactorFormulaRequest, options?: RequestOptions): Call<ReactorFormula> {
    return this.#send(reactorFormulasUpdate, { id, body }, options)
  }

  /**
   * Deletes a formula. Needs `reactor:delete`.
   *
   * Throws `ConflictError` if a reactor uses it, `NotFoundError` if there is no such formula.
   *
   * @example
   * ```ts
   * await surrogate.reactorFormulas.delete('formula-id')
   * ```
   */
  delete(id: string, options?: RequestOptions): Call<void> {
    return this.#send(reactorFormulasDelete, { id }, options)
  }

  /**
   * Lists the tenant's own formulas and the official ones, newest first. Needs `reactor:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const formula of surrogate.reactorFormulas.list({ name: 'charge*' })) console.log(formula.name)
   * ```
   */
  list(query?: ReactorFormulaQuery, options?: RequestOptions): Pages<ReactorFormula> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(reactorFormulasList, { query }, options)),
    )
  }
}
