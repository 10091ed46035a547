import type {
  ReactorFormula,
  ReactorFormulaRequest,
  ReactorResponse,
  ReactRequest,
  RequestParameterDefinition,
} from './generated/types.gen.ts'

type Parameter = Readonly<RequestParameterDefinition>

/**
 * What declares the arguments of invocations: a formula, or the request that creates one.
 *
 * @example
 * ```ts
 * const declaration: Declaration = { request_parameters: [{ name: 'amount', type: 'number' }] }
 * ```
 */
export interface Declaration {
  readonly request_parameters?: readonly Parameter[] | null
}

/**
 * A formula whose parameters the compiler knows: what `reactorFormulas.create` resolves with. Pass its type to `react`.
 *
 * @example
 * ```ts
 * const formula = await surrogate.reactorFormulas.create({
 *   name: 'Charge',
 *   type: 'private',
 *   code: 'module.exports = async ({ args }) => ({ raw: { charged: args.amount } })',
 *   request_parameters: [{ name: 'amount', type: 'number' }],
 * })
 * const typed: DeclaredFormula<readonly [{ readonly name: 'amount'; readonly type: 'number' }]> = formula
 * ```
 */
export type DeclaredFormula<Parameters extends readonly Parameter[]> = ReactorFormula & {
  readonly request_parameters: Parameters
}

/**
 * A formula to create, whose parameters the compiler remembers.
 *
 * @example
 * ```ts
 * const request: FormulaRequest<[]> = { name: 'Now', type: 'private', code: 'module.exports = async () => ({ raw: 1 })' }
 * ```
 */
export type FormulaRequest<Parameters extends readonly Parameter[]> = Omit<
  ReactorFormulaRequest,
  'request_parameters'
> & {
  /** The arguments of an invocation. */
  request_parameters?: Parameters | null | undefined
}

/**
 * A Liquid expression, which the server replaces by token data.
 *
 * @example
 * ```ts
 * const amount: number | Expression = '{{ token-id }}'
 * ```
 */
export type Expression = `${string}{{${string}}}${string}`

/** The JavaScript type of each type of parameter. */
interface Values {
  string: string
  number: number
  boolean: boolean
}

/** The first part of a name with dots. */
type Head<Name> = Name extends `${infer First}.${string}` ? First : Name
/** The parameters below a member, without its name. */
type Below<P extends Parameter, Name extends string> = P extends { name: `${Name}.${infer Rest}` }
  ? Omit<P, 'name'> & { name: Rest }
  : never
type Required<P extends Parameter> = P extends { optional: true } ? never : P

type Value<P extends Parameter, Name extends string> =
  | Expression
  | (Extract<P, { name: Name }> extends infer Own extends Parameter
      ? [Own] extends [never]
        ? ArgumentsFrom<Below<P, Name>>
        : Values[Own['type']]
      : never)

type ArgumentsFrom<P extends Parameter> = { [Name in Head<Required<P>['name']>]: Value<P, Name> } & {
  [Name in Head<P['name']>]?: Value<P, Name>
}

/**
 * The arguments that a formula declares. `card.number` is the member `number` of the argument `card`. Each may be an
 * expression instead of a value.
 *
 * @example
 * ```ts
 * const declared = {
 *   request_parameters: [
 *     { name: 'amount', type: 'number' },
 *     { name: 'card.number', type: 'string' },
 *     { name: 'note', type: 'string', optional: true },
 *   ],
 * } as const
 * const args: ArgumentsOf<typeof declared> = { amount: 1250, card: { number: '{{ token-id }}' } }
 * ```
 */
export type ArgumentsOf<Formula extends Declaration> = NonNullable<
  Formula['request_parameters']
>[number] extends infer P extends Parameter
  ? string extends P['name']
    ? object
    : ArgumentsFrom<P>
  : never

/**
 * An invocation of a reactor, with arguments of your own type.
 *
 * @example
 * ```ts
 * const invocation: Invocation = { args: { card: '{{ token-id }}', amount: 1250 } }
 * ```
 */
export type Invocation<Args extends object = object> = Omit<ReactRequest, 'args'> &
  (object extends Args ? { args?: Args | string | null | undefined } : { args: Args | Expression })

/**
 * The result of an invocation: `raw`, the formula's output, and `tokens`, created from what it asked to tokenize.
 *
 * @example
 * ```ts
 * const result: ReactorResult<{ charge: string }> = await surrogate.reactors.react('reactor-id', { args: {} })
 * console.log(result.raw?.charge)
 * ```
 */
export type ReactorResult<Raw = unknown> = Omit<ReactorResponse, 'raw'> & { raw?: Raw }

/**
 * The result of an asynchronous invocation. Its webhook has the same trace id in its header `SVC-TRACE-ID`.
 *
 * @example
 * ```ts
 * const { traceId }: AcceptedInvocation = await surrogate.reactors.react('reactor-id', {
 *   callback_url: 'https://shop.example.org/done',
 * })
 * ```
 */
export interface AcceptedInvocation {
  readonly traceId: string | undefined
}
