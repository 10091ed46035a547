import { list, obj, operations as ofContract, resolve } from '../system/contract/contract.ts'

/** The keywords of JSON Schema that the contract uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: string | number | boolean
  readonly enum?: readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly 'x-max-bytes'?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly propertyNames?: Schema
  readonly maxProperties?: number
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly body: Schema | undefined
  /** The kinds of applications that may call it. */
  readonly applicationTypes: readonly ('private' | 'public' | 'management')[]
}

/** The operations that every server has. */
export const operations = ofContract.map(({ id, method, path, parameters, operation }): Operation => {
  const [content] = Object.values(obj(obj(operation.requestBody).content))
  return {
    id,
    method: method.toUpperCase(),
    path,
    parameters: parameters as unknown as Operation['parameters'],
    body: content === undefined ? undefined : (obj(content).schema as Schema),
    applicationTypes: list(operation['x-application-types']) as Operation['applicationTypes'],
  }
})

/** Returns the target of a `$ref`, or the schema itself. */
export const resolved = (schema: Schema): Schema => resolve({ ...schema } as never)
