import type { ApplicationType, Permission } from '../src/access/permissions.ts'
import { mergePatchType, type Operation, type QueryParameter } from '../src/contract/contract.ts'

interface RawParameter {
  readonly name: string
  readonly in: string
  readonly schema?: { readonly type?: string; readonly format?: string }
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
  readonly 'x-formula'?: boolean
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, unknown> }
  readonly parameters?: readonly RawParameter[]
  readonly responses: Record<string, unknown>
}

/** What the server needs to know of an operation, from the resolved document. */
export function toOperation(operation: object): Operation {
  const raw = operation as RawOperation
  const types = Object.keys(raw.requestBody?.content ?? {})
  const parameters = raw.parameters ?? []
  return {
    id: raw.operationId,
    method: raw.method.toUpperCase(),
    path: raw.path,
    entityType: raw['x-entity-type'],
    permission: raw['x-permission'] ?? null,
    applicationTypes: raw['x-application-types'] ?? [],
    session: raw['x-session'] ?? false,
    formula: raw['x-formula'] ?? false,
    bodyType: types.includes(mergePatchType) ? mergePatchType : types[0],
    bodyRequired: raw.requestBody?.required ?? false,
    queryParameters: parameters.filter(one => one.in === 'query').map(toQueryParameter),
    uuidParameters: parameters
      .filter(one => one.in === 'path' && one.schema?.format === 'uuid')
      .map(({ name }) => name),
    idempotent: parameters.some(
      one => one.in === 'header' && one.name.toUpperCase().endsWith('-IDEMPOTENCY-KEY'),
    ),
    statuses: Object.keys(raw.responses),
  }
}

function toQueryParameter(raw: RawParameter): QueryParameter {
  const kinds = { array: 'list', object: 'map', integer: 'integer' } as const
  const type = raw.schema?.type
  const kind = type === 'array' || type === 'object' || type === 'integer' ? kinds[type] : 'text'
  return { name: raw.name, kind, keySeparator: raw['x-key-separator'] ?? '.' }
}
