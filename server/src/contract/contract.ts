import { readFileSync } from 'node:fs'
import type { JsonValue } from '../base/json/json.ts'
import type { DevOperationId } from '../generated/dev-operations.ts'
import { headerPrefix as contractHeaderPrefix, type proxyOperations } from '../generated/facts.ts'
import type { OperationId } from '../generated/operations.ts'
import { generatedFiles } from '../generated-files.ts'
import type { ApplicationType, LogEntityType, Permission } from './types.ts'

/** The facts of an operation that the server needs. */
export interface Operation {
  readonly id: OperationId | DevOperationId | ProxyOperationId
  /** Upper case. */
  readonly method: string
  /** With `{name}` in the place of a parameter. */
  readonly path: string
  /** The kind of resource that it is about, as the audit log calls it; absent if it is of development servers only. */
  readonly entityType?: LogEntityType | undefined
  readonly permission: Permission | null
  /** The kinds of application whose key it takes; none if it takes no key. */
  readonly applicationTypes: readonly ApplicationType[]
  /** True if a session's key may call it. */
  readonly session: boolean
  /** True if the client of a formula may call it. */
  readonly formula: boolean
  /** The content type of its body; absent if it takes none. */
  readonly bodyType?: string | undefined
  readonly bodyRequired: boolean
  /** The longest body that it accepts. */
  readonly bodyBytes: number
  readonly queryParameters: readonly QueryParameter[]
  /** The path parameters that are UUIDs, whose case does not matter. */
  readonly uuidParameters: readonly string[]
  /** True if it accepts an idempotency key. */
  readonly idempotent: boolean
  /** The kind of place in which its requests work; absent if they cost little. */
  readonly place?: 'short' | 'long' | undefined
  /** The statuses of its responses; `default` stands for any. */
  readonly statuses: readonly string[]
}

type ProxyOperationId = (typeof proxyOperations)[keyof typeof proxyOperations]['id']

/** True for the operations of `/proxy`, whose responses are those of other services. */
export const isProxied = ({ id }: Operation): boolean => id.startsWith('proxy.')

export interface QueryParameter {
  readonly name: string
  readonly kind: 'text' | 'integer' | 'list' | 'map'
  /** The separator of the name and a key, if the kind is `map`. */
  readonly keySeparator: string
  readonly default?: JsonValue
}

/** Returns the contract as JSON, with the header prefix of this server. */
export function readDocument(headerPrefix: string): string {
  const text = readFileSync(new URL('openapi.json', generatedFiles), 'utf8')
  return text.replaceAll(`${contractHeaderPrefix}-`, `${headerPrefix}-`)
}

export const problemType = 'application/problem+json'
export const mergePatchType = 'application/merge-patch+json'
