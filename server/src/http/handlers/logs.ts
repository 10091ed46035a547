import { type AuditContext, listLog } from '../../access/audit-log.ts'
import { parseMicros } from '../../base/time.ts'
import type { Handlers } from './handler.ts'
import { pageOf } from './shapes.ts'

export function logHandlers(context: AuditContext): Handlers {
  return {
    'logs.list': async ({ caller, query }) => ({
      status: 200,
      body: await listLog(context, caller, {
        ...pageOf(query),
        ...(typeof query.entity_type === 'string' ? { entity_type: query.entity_type } : {}),
        ...(typeof query.entity_id === 'string' ? { entity_id: query.entity_id } : {}),
        ...(typeof query.from === 'string' ? { fromUs: parseMicros(query.from) } : {}),
        ...(typeof query.to === 'string' ? { toUs: parseMicros(query.to) } : {}),
      }),
    }),
  }
}
