import { type AuditContext, listLog } from '../../access/audit-log.ts'
import type { HandlersOf } from './handler.ts'

export function logHandlers(context: AuditContext): HandlersOf<'logs'> {
  return {
    'logs.list': async ({ caller, query }) => ({ status: 200, body: await listLog(context, caller, query) }),
  }
}
