import type { OperationId } from './generated/operations.gen.ts'

/**
 * The name of an operation, such as `tokens.create`. Editors complete it; a server may have others.
 *
 * @example
 * ```ts
 * const operation: OperationName = 'tokens.create'
 * ```
 */
export type OperationName = OperationId | (string & {})
