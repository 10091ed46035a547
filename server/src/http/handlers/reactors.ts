import type { JsonObject, JsonValue } from '../../base/json.ts'
import { acceptReaction } from '../../reactors/accept.ts'
import type { ReactorsContext } from '../../reactors/context.ts'
import { type CreateReactorInput, createReactor } from '../../reactors/create.ts'
import { deleteReactor } from '../../reactors/delete.ts'
import { listReactors, readReactor } from '../../reactors/list.ts'
import { readWanted, type WantedInput } from '../../reactors/prepare.ts'
import { react } from '../../reactors/react.ts'
import { patchReactor, type UpdateReactorInput, updateReactor } from '../../reactors/update.ts'
import type { KeptReaction, Reaction } from '../../webhooks/reaction.ts'
import type { Answer } from '../message.ts'
import type { Handlers } from './handler.ts'
import { listOf, pageOf, pathId, textOf } from './shapes.ts'

export function reactorHandlers(context: ReactorsContext): Handlers {
  return {
    'reactors.create': async ({ caller, body, receipt }) => ({
      status: 201,
      body: await createReactor(context, caller, body as unknown as CreateReactorInput, receipt),
    }),
    'reactors.list': async ({ caller, query }) => ({
      status: 200,
      body: await listReactors(context, caller, {
        ...pageOf(query),
        ...listOf('id', query),
        ...textOf('name', query),
      }),
    }),
    'reactors.get': async ({ caller, path }) => ({
      status: 200,
      body: await readReactor(context, caller, pathId(path)),
    }),
    'reactors.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await updateReactor(
        context,
        caller,
        pathId(path),
        body as unknown as UpdateReactorInput,
        receipt,
      ),
    }),
    // Requirements: REA-012
    'reactors.patch': async ({ caller, path, body, receipt }) => {
      await patchReactor(context, caller, pathId(path), body as JsonObject, receipt)
      return { status: 204 }
    },
    'reactors.delete': async ({ caller, path }) => {
      await deleteReactor(context, caller, pathId(path))
      return { status: 204 }
    },
    'reactors.react': async ({ caller, path, body, receipt, depth, traceId }) => {
      const given = body as { readonly args?: JsonValue } & WantedInput
      const wanted = readWanted(given)
      const input = { reactor: pathId(path), args: given.args ?? {}, depth, traceId }
      if (wanted) {
        await acceptReaction(context, caller, input, wanted, receipt)
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

/** These have no body (RFC 9110). */
const bodiless = new Set([204, 205, 304])

export function answerOf(reaction: Reaction): Answer {
  if (reaction.kind === 'answered') {
    const { kind: _kind, ...body } = reaction
    return { status: 200, body }
  }
  const { status, body } = reaction
  const { 'content-type': type, ...headers } = reaction.headers
  if (body === undefined || bodiless.has(status)) return { status, headers, chosen: true }
  // The one body whose status and type are not ours: no browser is to take it for anything but its type.
  const named = { ...(type && { 'Content-Type': type }), 'X-Content-Type-Options': 'nosniff' }
  return { status, headers: { ...headers, ...named }, body, chosen: true }
}
