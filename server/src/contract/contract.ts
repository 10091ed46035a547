import { readFileSync } from 'node:fs'
import type { JsonValue } from '../base/json.ts'
import { headerPrefix as contractHeaderPrefix } from '../generated/facts.ts'
import type { OperationId } from '../generated/operations.ts'
import { generatedFiles } from '../generated-files.ts'
import type { ApplicationType, LogEntityType, Permission } from './types.ts'

/** An operation of the contract, with what the server needs to know of it. */
export interface Operation {
  readonly id: OperationId
  /** Upper case. */
  readonly method: string
  /** With `{name}` in the place of a parameter. */
  readonly path: string
  /** What it is about, as the audit log calls it. */
  readonly entityType: LogEntityType
  readonly permission: Permission | null
  readonly applicationTypes: readonly ApplicationType[]
  /** Whether a session's key may call it. */
  readonly session: boolean
  /** True if the client of a formula may call it. */
  readonly formula: boolean
  /** The content type of its body; absent where it takes none. */
  readonly bodyType?: string | undefined
  readonly bodyRequired: boolean
  /** The longest body it takes. */
  readonly bodyBytes: number
  readonly queryParameters: readonly QueryParameter[]
  /** The parameters of its path that are UUIDs, whose case does not matter. */
  readonly uuidParameters: readonly string[]
  /** Whether it takes an idempotency key. */
  readonly idempotent: boolean
  /** The statuses it may answer with; `default` for any. */
  readonly statuses: readonly string[]
}

export interface QueryParameter {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'list' | 'map'
  /** What stands between the name and a key, where the kind is `map`. */
  readonly keySeparator: string
  readonly default?: JsonValue
}

/** Every operation of the contract, as `npm run generate` found them in `openapi.yaml`. */
export function readOperations(): readonly Operation[] {
  operations ??= JSON.parse(readFileSync(new URL('operations.json', generatedFiles), 'utf8')) as Operation[]
  return operations
}
// Not read at once: what generates the file loads this module, too.
let operations: readonly Operation[] | undefined

/** The contract as JSON, with the header prefix of this server. */
export function readDocument(headerPrefix: string): string {
  const text = readFileSync(new URL('openapi.json', generatedFiles), 'utf8')
  return text.replaceAll(new RegExp(`\\b${contractHeaderPrefix}-(?=[A-Z])`, 'g'), `${headerPrefix}-`)
}

export const problemType = 'application/problem+json'
export const mergePatchType = 'application/merge-patch+json'
