/** The parts of `openapi.yaml` that the client's classes are made from. */
export interface Contract {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

type PathItem = { readonly parameters?: readonly Reference<Parameter>[] } & Readonly<
  Record<string, Operation>
>

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly description: string
  readonly parameters?: readonly Reference<Parameter>[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Reference<Answer>>>
  readonly 'x-profile'?: string
  readonly 'x-permission': string | null
  readonly 'x-application-types': readonly string[]
  readonly 'x-session': boolean
  readonly 'x-typescript'?: TypedCall | readonly TypedCall[]
}

/** What `x-typescript` says of a call. */
export interface TypedCall {
  readonly parameters: string
  readonly body?: string
  readonly result: string
  /** The result for a key whose rules reveal data. */
  readonly revealed?: string
}

type Reference<T> = T | { readonly $ref: string }

interface Parameter {
  readonly name: string
  readonly in: string
}

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

interface Media {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** An operation as the method of a class. */
export interface Method {
  /** The member of the client that has the method; empty if that is the client itself. */
  readonly resource: string
  readonly name: string
  readonly operation: Operation
  /** The names of the path's parameters, in the path and as arguments. */
  readonly ids: readonly (readonly [name: string, argument: string])[]
  readonly query: readonly string[]
  readonly body: { readonly type: string; readonly example: unknown } | undefined
  /** The type of the body of a success; of an item if it is a page. */
  readonly result: string | undefined
  readonly isList: boolean
  /** True if a success may have no body although another has one: the result follows later. */
  readonly isDeferred: boolean
}

/** Returns the operations of a contract as methods, in their order. */
export function methodsOf(contract: Contract): Method[] {
  return Object.entries(contract.paths).flatMap(([path, { parameters: shared = [], ...operations }]) =>
    Object.values(operations).map(operation => methodOf(contract, path, shared, operation)),
  )
}

function methodOf(
  { components }: Contract,
  path: string,
  shared: readonly Reference<Parameter>[],
  operation: Operation,
): Method {
  const [resource, name] = operation.operationId.includes('.')
    ? (operation.operationId.split('.') as [string, string])
    : ['', operation.operationId]
  const parameters = [...shared, ...(operation.parameters ?? [])].map(one =>
    '$ref' in one ? (components.parameters[nameOf(one)] as Parameter) : one,
  )
  const media = Object.values(operation.requestBody?.content ?? {})[0]
  const successes = Object.entries(operation.responses)
    .filter(([status]) => /^2/.test(status))
    .map(([, one]) => Object.values((one as Answer).content ?? {})[0]?.schema)
  const schema = successes.find(one => one !== undefined)
  const { pagination, data } = (schema?.$ref && components.schemas[nameOf(schema)]?.properties) || {}
  const result = pagination && data?.items ? data.items : schema
  return {
    resource,
    name,
    operation,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, camel(id)]),
    query: parameters.filter(one => one.in === 'query').map(({ name }) => name),
    body: media && { type: nameOf(media.schema), example: Object.values(media.examples ?? {})[0]?.value },
    result: result && nameOf(result),
    isList: pagination !== undefined,
    isDeferred: schema !== undefined && successes.includes(undefined),
  }
}

/** Returns the name of the component that a reference leads to. */
export function nameOf({ $ref }: { readonly $ref?: string }): string {
  if ($ref === undefined) throw new Error('bodies must be components, so that their types have names')
  return $ref.split('/').at(-1) as string
}

/** The name of an operation's constant in `operations.gen.ts`. */
export const constantOf = ({ operation }: Method) => camel(operation.operationId)
/** The name of the type of a list's query. */
export const queryType = ({ resource }: Method) => `${pascal(singular(resource))}Query`

export const camel = (name: string) =>
  name.replaceAll(/[._](.)/g, (_, letter: string) => letter.toUpperCase())
export const kebab = (name: string) =>
  name.replaceAll('_', '-').replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
export const pascal = (name: string) => name.replace(/^./, letter => letter.toUpperCase())
export const singular = (resource: string) => resource.replace(/s$/, '')
