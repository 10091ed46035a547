import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/base/json/json.ts'

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
  readonly statuses: ReadonlySet<string>
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly bodyType: string | undefined
  readonly body: Schema | undefined
  /** The kinds of applications that may call it. */
  readonly applicationTypes: readonly ('private' | 'public' | 'management')[]
}

type Raw = Readonly<Record<string, unknown>>

/** Reads the contract. Independent of the server's code, so that the fuzz does not repeat its mistakes. */
export class Document {
  readonly operations: readonly Operation[]
  readonly #root: JsonObject

  constructor(root: JsonObject) {
    this.#root = root
    const paths = root.paths as unknown as Record<string, Record<string, Raw>>
    this.operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
        .map(([method, raw]) => this.#operation(path, method, raw, item.parameters)),
    )
  }

  operation(id: string): Operation {
    const found = this.operations.find(one => one.id === id)
    if (!found) throw new Error(`the contract has no operation ${id}`)
    return found
  }

  schema(name: string): Schema {
    return this.resolve({ $ref: `#/components/schemas/${name}` })
  }

  resolve<T extends { readonly $ref?: string }>(given: T): T {
    let at: T = given
    while (at.$ref !== undefined) {
      const steps = at.$ref.split('/').slice(1)
      at = steps.reduce<unknown>((value, step) => (value as Raw)[step], this.#root) as T
    }
    return at
  }

  /** Returns a schema and the schemas that it combines. */
  partsOf(given: Schema): Schema[] {
    const schema = this.resolve(given)
    const parts = [schema.allOf, schema.oneOf, schema.anyOf].flatMap(list => list ?? [])
    return [schema, ...parts.flatMap(part => this.partsOf(part))]
  }

  #operation(path: string, method: string, raw: Raw, shared: unknown): Operation {
    const { operationId, parameters, requestBody, responses } = raw
    const content = (requestBody as { content?: Record<string, { schema: Schema }> } | undefined)?.content
    const [bodyType] = Object.keys(content ?? {})
    const listed = [shared, parameters].flatMap(list => (list as { $ref?: string }[] | undefined) ?? [])
    return {
      id: operationId as string,
      method: method.toUpperCase(),
      path,
      statuses: new Set(Object.keys(responses as object)),
      parameters: listed.map(one => this.resolve(one)) as unknown as Operation['parameters'],
      bodyType,
      body: bodyType === undefined ? undefined : content?.[bodyType]?.schema,
      applicationTypes: (raw['x-application-types'] ?? []) as Operation['applicationTypes'],
    }
  }
}

export function readDocument(): Document {
  const file = new URL('../../src/generated/openapi.json', import.meta.url)
  return new Document(JSON.parse(readFileSync(file, 'utf8')))
}
