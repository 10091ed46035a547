import type { JsonValue } from '../base/json/json.ts'
import type { DevOperationId } from '../generated/dev-operations.ts'
import { limits } from '../generated/facts.ts'
import type { OperationId } from '../generated/operations.ts'
import { mergePatchType, type Operation, type QueryParameter } from './contract.ts'
import type { ApplicationType, LogEntityType, Permission } from './types.ts'

interface RawParameter {
  readonly name: string
  readonly in: string
  readonly schema?: { readonly type?: string; readonly format?: string; readonly default?: JsonValue }
  readonly 'x-key-separator'?: string
  readonly 'x-replaces'?: string
}

interface RawOperation {
  readonly operationId: OperationId | DevOperationId
  readonly method: string
  readonly path: string
  readonly 'x-entity-type'?: LogEntityType
  readonly 'x-permission'?: Permission | null
  readonly 'x-application-types'?: readonly ApplicationType[]
  readonly 'x-session'?: boolean
  readonly 'x-formula'?: boolean
  readonly 'x-place'?: Operation['place']
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Record<string, unknown>
    readonly 'x-max-bytes'?: number
  }
  readonly parameters?: readonly RawParameter[]
  readonly responses: Record<string, unknown>
}

/** Returns the facts of an operation in a document without references. */
export function toOperation(operation: object): Operation {
  const raw = operation as RawOperation
  const types = Object.keys(raw.requestBody?.content ?? {})
  const parameters = raw.parameters ?? []
  const replaced = parameters.map(one => one['x-replaces'])
  return {
    id: raw.operationId,
    method: raw.method.toUpperCase(),
    path: raw.path,
    entityType: raw['x-entity-type'],
    permission: raw['x-permission'] ?? null,
    applicationTypes: raw['x-application-types'] ?? [],
    session: raw['x-session'] ?? false,
    formula: raw['x-formula'] ?? false,
    place: raw['x-place'],
    bodyType: types.includes(mergePatchType) ? mergePatchType : types[0],
    bodyRequired: raw.requestBody?.required ?? false,
    bodyBytes: raw.requestBody?.['x-max-bytes'] ?? limits.bodyBytes,
    queryParameters: parameters
      .filter(one => one.in === 'query')
      .map(one => toQueryParameter(one, replaced.includes(one.name))),
    uuidParameters: parameters
      .filter(one => one.in === 'path' && one.schema?.format === 'uuid')
      .map(({ name }) => name),
    idempotent: parameters.some(
      one => one.in === 'header' && one.name.toUpperCase().endsWith('-IDEMPOTENCY-KEY'),
    ),
    statuses: Object.keys(raw.responses),
  }
}

function toQueryParameter(raw: RawParameter, isReplaced: boolean): QueryParameter {
  const kinds = { array: 'list', object: 'map', integer: 'integer' } as const
  const type = raw.schema?.type
  const kind = type === 'array' || type === 'object' || type === 'integer' ? kinds[type] : 'text'
  const fallback = isReplaced ? undefined : raw.schema?.default
  return {
    name: raw.name,
    kind,
    keySeparator: raw['x-key-separator'] ?? '.',
    ...(fallback === undefined ? {} : { default: fallback }),
  }
}
