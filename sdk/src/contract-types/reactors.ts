import type * as contract from '../generated/types.gen.ts'

/**
 * A code template, as the service has it.
 *
 * @example
 * ```ts
 * const isReady = ({ status }: ReactorFormula) => status === 'verified'
 * console.log(isReady(await surrogate.reactorFormulas.get('formula-id')))
 * ```
 */
export type ReactorFormula = contract.ReactorFormula

/**
 * A formula to be stored.
 *
 * @example
 * ```ts
 * const request: ReactorFormulaRequest = {
 *   name: 'Last four digits',
 *   type: 'private',
 *   code: 'module.exports = async req => ({ raw: req.args.number.slice(-4) })',
 * }
 * await surrogate.reactorFormulas.create(request)
 * ```
 */
export type ReactorFormulaRequest = contract.ReactorFormulaRequest

/**
 * Whose a formula is: the operator’s for all, or the tenant’s own.
 *
 * @example
 * ```ts
 * const type: ReactorFormulaType = 'private'
 * await surrogate.reactorFormulas.create({ name: 'Nothing', type, code: 'module.exports = async () => ({})' })
 * ```
 */
export type ReactorFormulaType = contract.ReactorFormulaType

/**
 * A setting that each reactor on a formula has to give.
 *
 * @example
 * ```ts
 * const setting: ConfigurationDefinition = { name: 'CURRENCY', type: 'string', description: 'ISO 4217' }
 * ```
 */
export type ConfigurationDefinition = contract.ConfigurationDefinition

/**
 * An argument that each invocation of a formula has to give.
 *
 * @example
 * ```ts
 * const parameter: RequestParameterDefinition = { name: 'card.number', type: 'string', optional: true }
 * ```
 */
export type RequestParameterDefinition = contract.RequestParameterDefinition

/**
 * What a setting or an argument is cast to.
 *
 * @example
 * ```ts
 * const type: ValueType = 'number'
 * const parameter: RequestParameterDefinition = { name: 'amount', type }
 * ```
 */
export type ValueType = contract.ValueType

/**
 * A configured instance of a formula, as the service has it.
 *
 * @example
 * ```ts
 * const nameOf = ({ name, formula }: Reactor) => `${name} on ${formula.name}`
 * console.log(nameOf(await surrogate.reactors.get('reactor-id')))
 * ```
 */
export type Reactor = contract.Reactor

/**
 * The settings of a reactor, by their names.
 *
 * @example
 * ```ts
 * const configuration: ReactorConfiguration = { CURRENCY: 'EUR', ATTEMPTS: 3 }
 * await surrogate.reactors.patch('reactor-id', { configuration })
 * ```
 */
export type ReactorConfiguration = contract.ReactorConfiguration

/**
 * Something that exists already, by its id.
 *
 * @example
 * ```ts
 * const application: ResourceReference = { id: 'application-id' }
 * await surrogate.reactors.patch('reactor-id', { application })
 * ```
 */
export type ResourceReference = contract.ResourceReference

/**
 * A reactor to be made.
 *
 * @example
 * ```ts
 * const request: CreateReactorRequest = { name: 'Charge', formula: { id: 'formula-id' }, configuration: {} }
 * await surrogate.reactors.create(request)
 * ```
 */
export type CreateReactorRequest = contract.CreateReactorRequest

/**
 * What a reactor is to be from now on; its formula stays.
 *
 * @example
 * ```ts
 * const request: UpdateReactorRequest = { name: 'Charge', configuration: { CURRENCY: 'EUR' } }
 * await surrogate.reactors.update('reactor-id', request)
 * ```
 */
export type UpdateReactorRequest = contract.UpdateReactorRequest

/**
 * The members of a reactor to change.
 *
 * @example
 * ```ts
 * const request: PatchReactorRequest = { configuration: { CURRENCY: 'USD' } }
 * await surrogate.reactors.patch('reactor-id', request)
 * ```
 */
export type PatchReactorRequest = contract.PatchReactorRequest

/**
 * An invocation, as the contract has it; `Invocation` takes arguments of your own shape.
 *
 * @example
 * ```ts
 * const request: ReactRequest = { args: { card: '{{ token-id }}' }, callback_url: 'https://shop.example.org/done' }
 * await surrogate.reactors.react('reactor-id', request)
 * ```
 */
export type ReactRequest = contract.ReactRequest

/**
 * What an invocation gave, as the contract has it; `ReactorResult` knows your formula’s output.
 *
 * @example
 * ```ts
 * const tokensOf = ({ tokens }: ReactorResponse) => tokens ?? {}
 * console.log(tokensOf(await surrogate.reactors.react('reactor-id', { args: {} })))
 * ```
 */
export type ReactorResponse = contract.ReactorResponse

/**
 * The body of a response that a formula chose itself.
 *
 * @example
 * ```ts
 * await surrogate.reactors.react('reactor-id', { args: {} }).catch(error => {
 *   if (error instanceof APIError) console.error(error.status, error.body as CustomResponse)
 * })
 * ```
 */
export type CustomResponse = contract.CustomResponse
