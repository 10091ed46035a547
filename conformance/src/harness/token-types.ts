import { document } from './document.ts'
import type { Profile } from './finding.ts'

interface Example {
  readonly data: unknown
  /** The data under the default mask of the type. */
  readonly masked?: unknown
  /** A text that a search by data finds it by. */
  readonly found?: string
}

/** The values that a token of some type has if its creator leaves them out. */
interface Defaults {
  readonly containers: readonly string[]
  readonly mask: unknown
  readonly fingerprint_expression: string
}

/** What the contract states about a type of token. */
export interface TokenType {
  readonly type: string
  readonly profile: Profile
  /** The pointer to the schema of its data. */
  readonly schema: string
  readonly isSearchable: boolean
  readonly defaults: Defaults
  readonly examples: readonly [Example, Example]
  /** Data that the type refuses. Members replace those of the first example. */
  readonly refused: Readonly<Record<string, unknown>>
}

interface CreateSchema {
  readonly 'x-profile'?: Profile
  readonly 'x-defaults': Defaults
  readonly 'x-samples': readonly [Example, Example]
  readonly 'x-refused'?: Readonly<Record<string, unknown>>
  readonly properties: {
    readonly type: { readonly const: string }
    readonly data: { readonly $ref: string }
    readonly search_indexes: { readonly $ref: string }
  }
}

const schemas = document.components.schemas as Readonly<Record<string, unknown>>
const { oneOf } = schemas.CreateTokenRequest as { readonly oneOf: readonly { readonly $ref: string }[] }
const named = ({ $ref }: { readonly $ref: string }) => schemas[$ref.replace('#/components/schemas/', '')]

/** The types of tokens, in the order of the contract. */
export const tokenTypes: readonly TokenType[] = oneOf.map(branch => {
  const schema = named(branch) as CreateSchema
  const { type, data, search_indexes } = schema.properties
  return {
    type: type.const,
    profile: schema['x-profile'] ?? 'core',
    schema: data.$ref,
    isSearchable: (named(search_indexes) as { readonly maxItems: number }).maxItems > 0,
    defaults: schema['x-defaults'],
    examples: schema['x-samples'],
    refused: schema['x-refused'] ?? {},
  }
})
