import { type AuditContext, listLog } from '../../access/audit-log.ts'
import { answer, type HandlersOf } from './handler.ts'

export function logHandlers(context: AuditContext): HandlersOf<'logs'> {
  return {
    'logs.list': ({ caller, query }) => answer(200, listLog(context, caller, query)),
  }
}
