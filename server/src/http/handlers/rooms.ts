import type { Applications } from '../../access/applications.ts'
import type { AuditLog } from '../../access/audit-log.ts'
import type { Tenants } from '../../access/tenants.ts'
import type { Formulas } from '../../formulas/formulas.ts'
import type { Reactors } from '../../reactors/reactors.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Tokens } from '../../tokens/tokens.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'

/** What handlers work with. */
export interface Rooms {
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly applications: Applications
  readonly tenants: Tenants
  readonly auditLog: AuditLog
  readonly formulas: Formulas
  readonly reactors: Reactors
  readonly webhooks: Webhooks
}
