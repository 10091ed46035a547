import type { Caller } from '../access/caller.ts'
import type { Receipt } from '../storage/transact.ts'
import type { ReactorsContext } from './context.ts'
import { prepare, type ReactInput } from './prepare.ts'

/**
 * Accepts an asynchronous invocation. It is validated completely now; the data of tokens read for that is dropped, and
 * read again when the job runs.
 *
 * @throws {ServiceError} like `prepare`, `Jobs.checkCallback` and `Jobs.accept`
 */
// Requirements: INV-511
export async function acceptReaction(
  context: ReactorsContext,
  caller: Caller,
  input: ReactInput,
  wanted: { readonly callbackUrl: string; readonly timeoutMs: number },
  receipt?: Receipt,
): Promise<void> {
  const { jobs } = context
  await jobs.checkCallback(wanted.callbackUrl)
  await prepare(context, caller, input)
  await jobs.accept(
    {
      tenant: caller.tenant,
      application: caller.application,
      ...(caller.session === undefined ? {} : { session: caller.session }),
      reactor: input.reactor,
      args: input.args,
      ...wanted,
      traceId: input.traceId,
      depth: input.depth,
    },
    receipt,
  )
}
