import type { Caller } from './caller.ts'
import { decidingRule, isDirect, rulesFor, type Subject } from './rules.ts'

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
    const rule = decidingRule(rules, subject.id, container)
    if (rule && (isDirect(rule) || rule.transform === 'reveal')) continue
    return `token:update on ${container} comes from a rule whose transform is ${rule?.transform ?? 'none'}`
  }
  return undefined
}
