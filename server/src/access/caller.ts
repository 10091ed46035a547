import { ServiceError } from '../base/errors.ts'
import type { Principal } from '../base/flow/principal.ts'
import type { ApplicationType, Permission, TokenPermission, Transform } from '../contract/types.ts'
import { type ApplicationRecord, isApplicationOver } from './application.ts'
import {
  type Decision,
  deciderOf,
  holdsAnywhere,
  isDirect,
  matches,
  type Rights,
  rulesFor,
  type Subject,
} from './rules.ts'

/** The authenticated sender of a request: an application or a session. */
export interface Caller {
  readonly tenant: string
  /** For a session, the public application that created it. */
  readonly application: string
  readonly type: ApplicationType
  /** The rights of the application, or the grants of the session. */
  readonly rights: Rights
  /** For a session, the rights of the application that authorized it. Each use needs both. */
  readonly authorizerRights?: Rights
  readonly session?: string
  /** The request that is authenticated; absent for work that goes on without one. */
  request?: Principal['request']
}

/** Returns an application as a caller with its present rights; `undefined` if it has expired. */
export function applicationAsCaller(
  tenant: string,
  application: ApplicationRecord,
  nowUs: number,
): Caller | undefined {
  if (isApplicationOver(application, nowUs)) return undefined
  const { id, type, permissions, rules } = application
  return { tenant, application: id, type, rights: { permissions, rules }, request: undefined }
}

/** True if the caller holds the permission anywhere. */
export function holds(caller: Caller, permission: Permission): boolean {
  return (
    holdsAnywhere(caller.rights, permission) &&
    (!caller.authorizerRights || holdsAnywhere(caller.authorizerRights, permission))
  )
}

/** Returns the refusal of a caller that holds a permission nowhere. */
export function missingPermission(caller: Caller, permission: Permission): ServiceError {
  const { session, rights, authorizerRights } = caller
  if (session === undefined) {
    return new ServiceError('permission_denied', `the caller does not hold ${permission}`)
  }
  if (!authorizerRights) return new ServiceError('permission_denied', 'the session is not authorized yet')
  const missing = holdsAnywhere(rights, permission)
    ? `the application that authorized the session does not hold ${permission}`
    : `the session was not granted ${permission}`
  return new ServiceError('permission_denied', `the session does not hold ${permission}`, {
    cause: { missing } satisfies DeniedCause,
  })
}

/** True as `limited` if only the application that authorized the session lacks the right. */
type LimitedDecision = Decision & { readonly limited?: true }

/** Decides if the caller may do this to the subject, and under which transform. The grant's counts, not the authorizer's. */
export function decideFor(caller: Caller, permission: TokenPermission, subject: Subject): LimitedDecision {
  return deciderFor(caller, permission)(subject)
}

/** Like `decideFor`, about one subject after another. */
export function deciderFor(
  { rights, authorizerRights }: Caller,
  permission: TokenPermission,
): (subject: Subject) => LimitedDecision {
  const grants = deciderOf(rights, permission)
  const limits = authorizerRights && deciderOf(authorizerRights, permission)
  return subject => {
    const granted = grants(subject)
    if (!granted.allowed || !limits) return granted
    const limited = limits(subject)
    return limited.allowed ? granted : { ...limited, limited: true }
  }
}

/** Returns the transform under which the caller may do this. @throws {ServiceError} permission_denied */
export function requirePermission(caller: Caller, permission: TokenPermission, subject: Subject): Transform {
  const decision = decideFor(caller, permission, subject)
  if (decision.allowed) return decision.transform
  throw new ServiceError('permission_denied', `${permission} is not held for every container of the token`, {
    cause: {
      missing: `no access rule${decision.limited ? ' of the application that authorized the session' : ''} gives ${permission} on ${decision.container}`,
      subject: subject.id,
      containers: subject.containers,
    } satisfies DeniedCause,
  })
}

/** The cause of a refusal: what is missing, and for the audit log the token, if one was looked at. */
export interface DeniedCause {
  readonly missing: string
  readonly subject?: string
  readonly containers?: readonly string[]
}

/**
 * Returns the reason why the caller may not set expressions over the data of this token; `undefined` if it may.
 *
 * An expression is read access: its value shows in masks, fingerprints, searches and in its own errors. So only a private application may set one, and only where the rule that decides `token:update` in
 * every container is the permission held directly or a rule that reveals. Never a session, whoever authorized it.
 */
// Requirements: ACC-520, SES-520
export function missingForExpressions(caller: Caller, subject: Subject): string | undefined {
  if (caller.session !== undefined) return 'a session sets no expressions'
  if (caller.type !== 'private') return `a ${caller.type} application sets no expressions`
  const rules = rulesFor(caller.rights, 'token:update')
  for (const container of subject.containers) {
    const rule = rules.find(one => matches(one, subject.id, container))
    if (rule && (isDirect(rule) || rule.transform === 'reveal')) continue
    return `token:update on ${container} comes from a rule whose transform is ${rule?.transform ?? 'none'}`
  }
  return undefined
}

export function deniedCause({ cause }: ServiceError): DeniedCause | undefined {
  return cause && typeof cause === 'object' && 'missing' in cause ? (cause as DeniedCause) : undefined
}
