import { readFileSync } from 'node:fs'
import { OpenAPIBackend } from 'openapi-backend'
import type { ApplicationType, Permission } from '../access/permissions.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts'

/** An operation of the contract, with what the server needs to know of it. */
export interface Operation {
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** With `{name}` in the place of a parameter. */
  readonly path: string
  /** What it is about, as the audit log calls it. */
  readonly entityType: string
  readonly permission: Permission | null
  readonly applicationTypes: readonly ApplicationType[]
  /** Whether a session's key may call it. */
  readonly session: boolean
  /** The content type of its body; `undefined` where it takes none. */
  readonly bodyType: string | undefined
  readonly bodyRequired: boolean
  readonly queryParameters: readonly QueryParameter[]
  /** Whether it takes an idempotency key. */
  readonly idempotent: boolean
  readonly statuses: ReadonlySet<string>
}

export interface QueryParameter {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'list' | 'map'
  /** What stands between the name and a key, where the kind is `map`. */
  readonly keySeparator: string
}

/** The contract as this server speaks it: with its own header prefix. */
export interface Contract {
  readonly document: JsonObject
  /** The same with every `$ref` replaced by what it points to. */
  readonly definition: JsonObject
  readonly operations: readonly Operation[]
  readonly api: OpenAPIBackend
}

const source = new URL('../generated/openapi.json', import.meta.url)

/** Written from `openapi.yaml` by `npm run generate`: JSON reads a hundred times faster at start. */
function readDocument(headerPrefix: string): JsonObject {
  const text = readFileSync(source, 'utf8').replaceAll(/\bSVC-(?=[A-Z])/g, `${headerPrefix}-`)
  return JSON.parse(text)
}

type CustomizeAjv = NonNullable<ConstructorParameters<typeof OpenAPIBackend>[0]['customizeAjv']>

export interface ContractOptions {
  readonly headerPrefix: string
  /** Makes the validators' compiler: the one place that knows our formats. */
  readonly customizeAjv: CustomizeAjv
  /** Refuse members that a schema does not name: for holding our own responses against the contract. */
  readonly closed?: boolean
}

export async function loadContract(options: ContractOptions): Promise<Contract> {
  const document = readDocument(options.headerPrefix)
  const api = new OpenAPIBackend({
    // The constructor's types know no `x-` members; its reader takes any document.
    definition: forValidation(document, options.closed ?? false) as unknown as string,
    quick: true,
    customizeAjv: options.customizeAjv,
  })
  await api.init()
  const operations = (api.router.getOperations() as unknown as RawOperation[]).map(toOperation)
  return { document, definition: api.definition as unknown as JsonObject, operations, api }
}

/**
 * The document as the validators' builder understands it: it knows one name of a discriminator, and bodies
 * of `application/json` only.
 */
function forValidation(document: JsonObject, closed: boolean): JsonObject {
  const copy = structuredClone(document)
  const walk = (value: JsonValue, isBranch = false): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, isBranch)
    if (!isJsonObject(value)) return
    if (closed && Array.isArray(value.allOf)) mergeParts(document, value, value.allOf)
    const member = value['x-discriminator']
    if (typeof member === 'string') value.discriminator = { propertyName: member }
    const { content } = value
    if (isJsonObject(content)) {
      const body = content['application/json'] ?? content[mergePatchType] ?? content[problemType]
      if (body !== undefined) content['application/json'] = body
    }
    const mayBeClosed = closed && !isBranch && isJsonObject(value.properties)
    if (mayBeClosed && !combinators.some(name => name in value)) value.additionalProperties ??= false
    for (const [name, child] of Object.entries(value)) walk(child, combinators.includes(name))
  }
  walk(copy)
  return copy
}

/** Makes one object schema of an `allOf` of several, so that it can be closed as a whole. */
function mergeParts(document: JsonObject, schema: JsonObject, parts: readonly JsonValue[]): void {
  const schemas = (document.components as JsonObject).schemas as JsonObject
  const whole = [...parts, { properties: schema.properties ?? {}, required: schema.required ?? [] }].map(
    part => {
      const name =
        isJsonObject(part) && typeof part.$ref === 'string' ? part.$ref.split('/').at(-1) : undefined
      return structuredClone(name === undefined ? part : schemas[name]) as JsonObject
    },
  )
  schema.properties = Object.assign({}, ...whole.map(part => part.properties))
  schema.required = whole.flatMap(part => (part.required ?? []) as string[])
  delete schema.allOf
}

/** Where members may come from elsewhere, a schema alone cannot say which are too many. */
const combinators = ['allOf', 'oneOf', 'anyOf', 'not']

export const problemType = 'application/problem+json'
export const mergePatchType = 'application/merge-patch+json'

interface RawParameter {
  readonly name: string
  readonly in: string
  readonly schema?: { readonly type?: string }
  readonly 'x-key-separator'?: string
}

interface RawOperation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly 'x-entity-type': string
  readonly 'x-permission'?: Permission | null
  readonly 'x-application-types'?: readonly ApplicationType[]
  readonly 'x-session'?: boolean
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, unknown> }
  readonly parameters?: readonly RawParameter[]
  readonly responses: Record<string, unknown>
}

function toOperation(raw: RawOperation): Operation {
  const types = Object.keys(raw.requestBody?.content ?? {})
  return {
    id: raw.operationId,
    method: raw.method.toUpperCase(),
    path: raw.path,
    entityType: raw['x-entity-type'],
    permission: raw['x-permission'] ?? null,
    applicationTypes: raw['x-application-types'] ?? [],
    session: raw['x-session'] ?? false,
    bodyType: types.includes(mergePatchType) ? mergePatchType : types[0],
    bodyRequired: raw.requestBody?.required ?? false,
    queryParameters: (raw.parameters ?? []).filter(one => one.in === 'query').map(toQueryParameter),
    idempotent: (raw.parameters ?? []).some(
      one => one.in === 'header' && one.name.toUpperCase().endsWith('-IDEMPOTENCY-KEY'),
    ),
    statuses: new Set(Object.keys(raw.responses)),
  }
}

function toQueryParameter(raw: RawParameter): QueryParameter {
  const kinds = { array: 'list', object: 'map', integer: 'integer' } as const
  const type = raw.schema?.type
  const kind = type === 'array' || type === 'object' || type === 'integer' ? kinds[type] : 'text'
  return { name: raw.name, kind, keySeparator: raw['x-key-separator'] ?? '.' }
}
