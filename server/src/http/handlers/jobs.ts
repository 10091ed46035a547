import { cancelJob } from '../../webhooks/cancel.ts'
import type { WebhooksContext } from '../../webhooks/context.ts'
import { listJobs } from '../../webhooks/list.ts'
import { answer, type HandlersOf } from './handler.ts'

export function jobHandlers(
  context: Pick<WebhooksContext, 'store' | 'random' | 'clock'>,
): HandlersOf<'jobs'> {
  return {
    'jobs.list': ({ caller, query }) => answer(200, listJobs(context, caller, query)),
    'jobs.cancel': ({ caller, path }) => answer(204, cancelJob(context, caller, path.id)),
  }
}
