import { LRUCache } from 'lru-cache'
import type { Caller, DeniedCause } from '../access/caller.ts'
import { isDirect, matches, type Rights, rulesFor } from '../access/rules.ts'
import { lruOptions } from '../base/cache.ts'
import { comparableId } from '../base/comparable-id.ts'
import type { ServiceError } from '../base/errors.ts'
import type { AccessRule, Explanation, Permission, TokenPermission } from '../contract/types.ts'
import type { Exchange } from '../http/pipeline/exchange.ts'
import { wordsOfFormula } from '../reactors/outcome.ts'
import type { AbsentTokens, ErasedToken } from '../tokens/token-parts.ts'
import type { Reason } from './reasons.ts'

type ExplainedRule = NonNullable<Explanation['rules']>[number]

const explained = [400, 403, 404, 502]

/** Explains a refusal: who asked, the rights in the order in which they are tried, and why each does not match. */
export function explain(
  { operation, caller }: Exchange,
  error: ServiceError,
  { denied, text }: Reason,
): Explanation | undefined {
  const formula = wordsOfFormula(error)
  if (!explained.includes(error.status) && !formula) return undefined
  const permission = operation?.permission ?? undefined
  return {
    ...(operation ? { operation: operation.id } : {}),
    ...(caller ? { application: caller.application, application_type: caller.type } : {}),
    ...(caller?.session === undefined ? {} : { session: true }),
    ...(permission === undefined ? {} : { permission }),
    ...(caller && permission !== undefined ? { rules: rulesOf(caller, permission, denied) } : {}),
    reasons: text === undefined ? [] : [text],
    ...(formula ? { formula } : {}),
  }
}

function rulesOf(caller: Caller, permission: Permission, denied: DeniedCause | undefined): ExplainedRule[] {
  const own = caller.session === undefined ? 'application' : 'session'
  return [
    ...explainRights(own, caller.rights, permission, denied),
    ...(caller.authorizerRights
      ? explainRights('authorizer', caller.authorizerRights, permission, denied)
      : []),
  ]
}

function explainRights(
  of: ExplainedRule['of'],
  rights: Rights,
  permission: Permission,
  denied: DeniedCause | undefined,
): ExplainedRule[] {
  const isDirectlyHeld = rights.permissions.includes(permission)
  const direct: ExplainedRule = {
    of,
    priority: null,
    matches: isDirectlyHeld,
    reason: `${permission} is ${isDirectlyHeld ? '' : 'not '}held directly`,
  }
  const asked = rulesFor(rights, permission as TokenPermission).filter(rule => !isDirect(rule))
  const inOrder = [...rights.rules].sort((a, b) => a.priority - b.priority)
  return [
    ...inOrder.map(rule => ({
      of,
      priority: rule.priority,
      ...(asked.includes(rule)
        ? reasonOf(rule, denied)
        : { matches: false, reason: `does not list ${permission}` }),
    })),
    direct,
  ]
}

/** Says for each container of the token if the rule covers it; without a token, what the rule covers. */
function reasonOf(
  rule: AccessRule,
  denied: DeniedCause | undefined,
): Pick<ExplainedRule, 'matches' | 'reason'> {
  const covers = scopeOf(rule)
  const { subject = '', containers } = denied ?? {}
  if (!containers) return { matches: true, reason: `covers ${covers}` }
  const ofOthers = rule.conditions?.some(({ attribute, value }) => attribute === 'id' && value !== subject)
  const anyId = { ...rule, conditions: rule.conditions?.filter(({ attribute }) => attribute !== 'id') }
  const outside = containers.filter(container => !matches(anyId as AccessRule, subject, container))
  const lacking = [...(ofOthers ? ['the id of the token'] : []), ...outside]
  return lacking.length === 0
    ? { matches: true, reason: `covers ${covers}, and so all containers of the token` }
    : { matches: false, reason: `covers ${covers}, and not ${lacking.join(', ')}` }
}

function scopeOf(rule: AccessRule): string {
  if (typeof rule.container === 'string') return rule.container
  const conditions = (rule.conditions ?? []).map(
    ({ attribute, operator, value }) => `${attribute} ${operator.replace('_', ' ')} ${value}`,
  )
  return `tokens where ${conditions.join(' and ')}`
}

/** As the contract says. */
const mostRemembered = 10_000

/** When tokens that are erased had expired: the latest of all tenants. */
export class RecentlyExpired {
  readonly #expiredMs = new LRUCache<string, number>(lruOptions(mostRemembered))

  note({ tenant, id, expiredMs }: ErasedToken): void {
    if (expiredMs === undefined) this.#expiredMs.delete(keyOf(tenant, id))
    else this.#expiredMs.set(keyOf(tenant, id), expiredMs)
  }

  /** Returns what developers are told of tokens that are not there: when those expired of which that is known. */
  reason(tenant: string, { absent }: AbsentTokens, nowMs: number): string | undefined {
    const reasons = absent.flatMap(({ id, expiredMs }) => {
      const ms = expiredMs ?? this.#expiredMs.get(keyOf(tenant, id))
      // A snapshot can put a tenant back to a time before.
      if (ms === undefined || ms > nowMs) return []
      return `the token ${absent.length > 1 ? `${id} ` : ''}expired at ${new Date(ms).toISOString()}`
    })
    return reasons.join(', ') || undefined
  }

  clear(): void {
    this.#expiredMs.clear()
  }
}

const keyOf = (tenant: string, id: string) => `${tenant} ${comparableId(id)}`
