import type { Performed } from '../reactors/perform.ts'
import { problemOf } from './problem.ts'

/** What a callback is told of a job: `{tokens, raw}`, the problem, or `{status, body}` where the formula chose. */
export function reactionBody(performed: Exclude<Performed, { kind: 'busy' }>, traceId: string): object {
  switch (performed.kind) {
    case 'answered': {
      const { kind: _kind, ...body } = performed
      return body
    }
    case 'custom': {
      const { status, body } = performed
      return { status, ...(body === undefined ? {} : { body }) }
    }
    case 'refused':
      return problemOf(performed.error, traceId)
  }
}
