import { bodiless } from '../../base/bodiless-statuses.ts'
import type { ReactorsContext } from '../../reactors/context.ts'
import { acceptReaction } from '../../reactors/jobs.ts'
import { listReactors, readReactor } from '../../reactors/list.ts'
import { readWanted } from '../../reactors/prepare.ts'
import { react } from '../../reactors/react.ts'
import { createReactor, deleteReactor, patchReactor, updateReactor } from '../../reactors/write.ts'
import type { KeptReaction, Reaction } from '../../webhooks/reaction.ts'
import { answer, type HandlerAnswer, type HandlersOf } from './handler.ts'

export function reactorHandlers(context: ReactorsContext): HandlersOf<'reactors'> {
  return {
    'reactors.create': ({ caller, body, receipt }) =>
      answer(201, createReactor(context, caller, body, receipt)),
    'reactors.list': ({ caller, query }) => answer(200, listReactors(context, caller, query)),
    'reactors.get': ({ caller, path }) => answer(200, readReactor(context, caller, path.id)),
    'reactors.update': ({ caller, path, body, receipt }) =>
      answer(200, updateReactor(context, caller, path.id, body, receipt)),
    // Requirements: REA-012
    'reactors.patch': ({ caller, path, body, receipt }) =>
      answer(204, patchReactor(context, caller, path.id, body, receipt)),
    'reactors.delete': ({ caller, path }) => answer(204, deleteReactor(context, caller, path.id)),
    'reactors.react': async ({ caller, path, body, receipt, depth, traceId }) => {
      const wanted = readWanted(body)
      const input = { reactor: path.id, args: body.args ?? {}, depth, traceId }
      if (wanted) {
        await acceptReaction(context, caller, input, wanted, receipt && (() => receipt({})))
        return { status: 202 }
      }
      const keep = (kept: KeptReaction) => (receipt && isSuccess(kept) ? receipt({ details: kept }) : [])
      return answerOf(await react(context, caller, input, keep))
    },
  }
}

/** A formula may have chosen a failure as its answer, and none is kept. */
function isSuccess(reaction: KeptReaction): boolean {
  return reaction.kind === 'answered' || reaction.status < 400
}

export function answerOf(reaction: Reaction): HandlerAnswer<'reactors.react'> {
  if (reaction.kind === 'answered') {
    const { kind: _kind, ...body } = reaction
    return { status: 200, body }
  }
  const { status, body } = reaction
  const { 'content-type': type, ...headers } = reaction.headers
  if (body === undefined || bodiless.has(status)) return { status, headers, chosen: true }
  // The formula chose the body and its type: no browser may take it for another type.
  const named = { ...(type && { 'Content-Type': type }), 'X-Content-Type-Options': 'nosniff' }
  return { status, headers: { ...headers, ...named }, body, chosen: true }
}
