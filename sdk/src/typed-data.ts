import type {
  ContainerPath,
  CreateTokenCommon,
  CreateTokenRequest,
  Token as PlainToken,
  TokenType,
  UpdateTokenRequest,
} from './generated/types.gen.ts'

export type { BankData as Bank, CardData as Card } from './generated/types.gen.ts'

/**
 * The data that a token of a type is created with.
 *
 * @example
 * ```ts
 * const number: DataOf<'card_number'> = '4242424242424242'
 * ```
 */
export type DataOf<Type extends TokenType> = Extract<CreateTokenRequest, { type: Type }>['data']

/**
 * The masked form of data: any member may be missing, and any value may be a string instead, such as
 * `XXXXXXXXXXXX4242`.
 *
 * @example
 * ```ts
 * const masked: Masked<Card> = { number: 'XXXXXXXXXXXX4242', expiration_month: 12 }
 * ```
 */
export type Masked<T> = T extends readonly (infer Item)[]
  ? Masked<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Masked<T[Key]> }
    : T extends null | undefined
      ? T
      : T | string

/**
 * A token. The access rules of the key decide whether its `data` is whole, masked or absent.
 *
 * @example
 * ```ts
 * const token: Token<Card> = await surrogate.tokens.get<Card>('token-id')
 * console.log(token.data?.number ?? 'not shown')
 * ```
 */
export interface Token<T = unknown, Type extends TokenType = TokenType>
  extends Omit<PlainToken, 'data' | 'type' | 'containers'> {
  type: Type
  /** The data as the key may see it. In the response to a create it is masked at most. */
  data?: T | Masked<T>
  /** Paths of the containers that the token belongs to, as they were given. */
  containers: ContainerPath[]
}

/** The data of a token by its type; a `token` holds anything. */
type Held<Type extends TokenType> = Type extends 'token' ? unknown : DataOf<Type>

/**
 * A token of any type. Its `type` tells the compiler what its `data` is.
 *
 * @example
 * ```ts
 * const token: AnyToken = await surrogate.tokens.get('token-id')
 * if (token.type === 'card') console.log(token.data?.number)
 * ```
 */
export type AnyToken = { [Type in TokenType]: Token<Held<Type>, Type> }[TokenType]

/**
 * A token as a key sees it whose rules reveal its data: whole.
 *
 * @example
 * ```ts
 * const token: RevealedToken<Card> = await surrogate.revealing().tokens.get<Card>('token-id')
 * console.log(token.data.number)
 * ```
 */
export interface RevealedToken<T = unknown, Type extends TokenType = TokenType>
  extends Omit<Token<T, Type>, 'data'> {
  data: T
}

/**
 * A revealed token of any type.
 *
 * @example
 * ```ts
 * const token: AnyRevealedToken = await surrogate.revealing().tokens.get('token-id')
 * if (token.type === 'card' && token.data.expiration_month) console.log(token.data.expiration_month + 1)
 * ```
 */
export type AnyRevealedToken = { [Type in TokenType]: RevealedToken<Held<Type>, Type> }[TokenType]

/**
 * Any JSON value except null. `object` includes arrays, and interfaces, which an index signature would exclude.
 *
 * @example
 * ```ts
 * const data: Json = { email: 'jane@example.org' }
 * ```
 */
export type Json = object | string | number | boolean

/**
 * A new token of one type. The data of a `token` may have a type of your own, `T`; other types have their own data.
 *
 * @example
 * ```ts
 * const request: NewToken<'token', { email: string }> = {
 *   type: 'token',
 *   data: { email: 'jane@example.org' },
 *   mask: { email: '{{ data.email | reveal_last: 4 }}' },
 * }
 * ```
 */
export interface NewToken<Type extends TokenType, T = DataOf<Type>> extends CreateTokenCommon {
  type: Type
  data: NewData<Type, T>
  search_indexes?: Extract<CreateTokenRequest, { type: Type }>['search_indexes']
}

/**
 * The data of a new token: `T` for a `token`, that of its type for any other.
 *
 * @example
 * ```ts
 * const data: NewData<'token', { email: string }> = { email: 'jane@example.org' }
 * ```
 */
export type NewData<Type extends TokenType, T> = Type extends 'token' ? T : DataOf<Type>

/**
 * A token with data of type `T`, or of any type if none is given.
 *
 * @example
 * ```ts
 * const token: TokenOf<Card> = await surrogate.tokens.get<Card>('token-id')
 * ```
 */
export type TokenOf<T> = [T] extends [never] ? AnyToken : Token<Given<T>>

/**
 * A revealed token with data of type `T`, or of any type if none is given.
 *
 * @example
 * ```ts
 * const token: RevealedTokenOf<Card> = await surrogate.revealing().tokens.get<Card>('token-id')
 * ```
 */
export type RevealedTokenOf<T> = [T] extends [never] ? AnyRevealedToken : RevealedToken<Given<T>>

/** `T`, which the compiler must not guess from the type that a result is assigned to: `NoInfer`, for TypeScript 5.0. */
type Given<T> = [T][T extends unknown ? 0 : never]

/**
 * The members of a token to change; `null` restores a default.
 *
 * @example
 * ```ts
 * const patch: TokenPatch = { data: { expiration_year: 2031 }, metadata: { campaign: null } }
 * ```
 */
export type TokenPatch = Omit<UpdateTokenRequest, 'data'> & { data?: Json }
