import { type Caller, type DeniedCause, missingForExpressions, requirePermission } from '../access/caller.ts'
import { type Subject, strictest } from '../access/rules.ts'
import { ServiceError } from '../base/errors.ts'
import type { Transform } from '../contract/types.ts'
import { tokenTypes } from '../generated/facts.ts'
import type { TokenRecord } from './token.ts'

/** The members of an update that are expressions over the token's data. */
const expressionMembers = ['mask', 'fingerprint_expression', 'search_indexes'] as const

/** The members of an update that need more than `token:update` on the token's present containers. */
interface GuardedUpdate extends Readonly<Partial<Record<(typeof expressionMembers)[number], unknown>>> {
  readonly containers?: readonly string[] | null
}

export interface UpdateRight {
  /** Limits what the answer shows of the data. */
  readonly transform: Transform
  /** True if the caller may read the data by this right, and so may see what expressions make of it. */
  readonly reads: boolean
}

/**
 * Checks the right to make this update before anything is evaluated: on the token's containers and, if it moves, on the
 * new ones. Members with expressions need more, whatever their value: `null` and an empty list also change what is
 * evaluated over the data.
 * @throws {ServiceError} permission_denied, naming the members that the caller may not set
 */
// Requirements: ACC-506, ACC-520
export function demandUpdate(caller: Caller, current: TokenRecord, input: GuardedUpdate): UpdateRight {
  const subjects: Subject[] = [current]
  const { containers } = input
  if (containers !== undefined) {
    subjects.push({ id: current.id, containers: containers ?? tokenTypes[current.type].containers })
  }
  const transform = subjects
    .map(subject => requirePermission(caller, 'token:update', subject))
    .reduce(strictest)
  const [missing] = subjects.flatMap(subject => missingForExpressions(caller, subject) ?? [])
  const refused = expressionMembers.filter(member => missing !== undefined && input[member] !== undefined)
  if (missing !== undefined && refused.length > 0) {
    const detail =
      'may be set only by a private application that holds token:update directly, or by a rule that reveals'
    throw new ServiceError('permission_denied', `${refused.join(', ')}: ${detail}`, {
      errors: Object.fromEntries(refused.map(member => [member, [detail]])),
      cause: { missing, subject: current.id } satisfies DeniedCause,
    })
  }
  return { transform, reads: missing === undefined || transform === 'reveal' }
}
