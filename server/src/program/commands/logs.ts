import { booleanFlag, type Flag, textFlag } from '../config.ts'
import { serverFlags } from './client/request.ts'
import type { Command } from './command.ts'

const ofCall = (flag: Flag): Flag => ({ ...flag, isOfCall: true })

export const logsCommand: Command = {
  name: 'logs',
  summary: 'print the audit log of a tenant as lines of JSON, and with --follow each new entry',
  flags: [
    ofCall(booleanFlag('follow', 'go on with each new entry as it is made')),
    ofCall(
      textFlag('after', 'TIME', 'only entries later than this time, such as the created_at of the last one'),
    ),
    ofCall(textFlag('entity-type', 'TYPE', 'only entries about this kind of resource')),
    ofCall(textFlag('entity-id', 'ID', 'only entries about this resource')),
    ...serverFlags,
  ],
  operands: [],
  details: [
    'Prints the oldest entry first. Without --after it prints all entries, and with --follow the new ones only.',
    'With --follow it goes on without a gap when the connection breaks or the server restarts.',
    'SURROGATE_KEY is the key of a management application with log:read; it is never an argument.',
    'The exit code is 0 if all was printed, 1 if the server refused, 2 if the command is not right, 3 if the server',
    'could not be reached. surrogate-server logs list shows pages, newest first.',
  ],
  async run({ values, environment, print, onProgress }) {
    // Loaded here, as servers do not need it.
    const [{ clientOf }, { printLog }] = await Promise.all([
      import('./client/run.ts'),
      import('./client/print-log.ts'),
    ])
    const follow = values.follow === true
    const after = (values.after as string | undefined) ?? (follow ? undefined : '1970-01-01T00:00:00Z')
    const query = {
      ...(after === undefined ? {} : { after }),
      ...(values['entity-type'] === undefined ? {} : { entity_type: values['entity-type'] as 'token' }),
      ...(values['entity-id'] === undefined ? {} : { entity_id: values['entity-id'] as string }),
    }
    const send = clientOf(values, environment)
    const exitCode = await printLog(send, { query, follow, print, onProgress })
    return { output: '', exitCode }
  },
}
