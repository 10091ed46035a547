import { type AuditContext, listLog } from '../../access/audit-log.ts'
import type { LogStreams } from '../../access/log-streams.ts'
import { peerOf } from '../transport/peer.ts'
import { answer, type HandlersOf } from './handler.ts'

interface LogsContext extends AuditContext {
  readonly logStreams: LogStreams
}

export function logHandlers(context: LogsContext): HandlersOf<'logs'> {
  return {
    'logs.list': async ({ caller, query, peer }) =>
      query.follow === undefined
        ? answer(200, listLog(context, caller, query))
        : { status: 200, lines: await context.logStreams.open(caller, query, peer && peerOf(peer)) },
  }
}
