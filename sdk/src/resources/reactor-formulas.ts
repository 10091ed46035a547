import type {
  ReactorFormula,
  ReactorFormulaRequest,
  ReactorFormulasListData,
} from '../generated/types.gen.ts'
import type { RequestOptions } from '../options.ts'
import { Pages } from '../pages.ts'
import type { Send } from '../transport.ts'

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

  /** @internal */
  constructor(send: Send) {
    this.#send = send
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
  create(body: ReactorFormulaRequest, options?: RequestOptions): Promise<ReactorFormula> {
    return this.#send('reactorFormulas.create', { body }, options)
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
  get(id: string, options?: RequestOptions): Promise<ReactorFormula> {
    return this.#send('reactorFormulas.get', { path: { id } }, options)
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
  update(id: string, body: ReactorFormulaRequest, options?: RequestOptions): Promise<ReactorFormula> {
    return this.#send('reactorFormulas.update', { path: { id }, body }, options)
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
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#send('reactorFormulas.delete', { path: { id } }, options)
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
    return new Pages(page =>
      this.#send('reactorFormulas.list', { query: { ...query, ...(page && { page }) } }, options),
    )
  }
}
