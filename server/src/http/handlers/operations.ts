import { describePermissions, readOwnTenant, renameOwnTenant } from '../../access/own-tenant.ts'
import { bodiless } from '../../base/bodiless-statuses.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { createFormula, deleteFormula, updateFormula } from '../../formulas/write-formula.ts'
import { acceptReaction } from '../../reactors/jobs.ts'
import { listReactors, readReactor } from '../../reactors/list.ts'
import { readCallback } from '../../reactors/prepare.ts'
import { createReactor, deleteReactor, patchReactor, updateReactor } from '../../reactors/write-reactor.ts'
import { authorizeSession } from '../../sessions/authorize.ts'
import { createSession } from '../../sessions/create.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/erase.ts'
import { listTokens, searchTokens } from '../../tokens/list.ts'
import { resolveReferences } from '../../tokens/payloads/detokenize.ts'
import type { RecordedTokens } from '../../tokens/payloads/recorded-tokens.ts'
import { tokenize } from '../../tokens/payloads/tokenize.ts'
import { readToken } from '../../tokens/read.ts'
import { updateToken } from '../../tokens/update.ts'
import { cancelJob, listJobs } from '../../webhooks/jobs.ts'
import type { Reaction, RecordedReaction } from '../../webhooks/reaction.ts'
import { answer, type HandlerAnswer, type Handlers } from './handler.ts'
import type { Rooms } from './rooms.ts'

/** One for each operation of the contract: calls a verb of a room with the parts of the request. */
export function handlersOf(rooms: Rooms): Handlers {
  const { tokens, sessions, applications, tenants, auditLog, webhooks, formulas, reactors } = rooms
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const { token, created } = await createToken(tokens.of(caller), body, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': ({ caller, query }) => answer(200, listTokens(tokens.of(caller), query)),
    'tokens.search': ({ caller, body }) => answer(200, searchTokens(tokens.of(caller), body)),
    'tokens.get': ({ caller, path }) => answer(200, readToken(tokens.of(caller), path.id)),
    'tokens.update': ({ caller, path, body, receipt }) =>
      answer(200, updateToken(tokens.of(caller), path.id, body, receipt)),
    'tokens.delete': ({ caller, path }) => answer(204, deleteToken(tokens.of(caller), path.id)),

    tokenize: ({ caller, body, receipt }) => {
      const options = { receipt: receipt && ((details: RecordedTokens) => receipt({ details })) }
      return answer(200, tokenize(tokens.of(caller), body, options))
    },
    // Requirements: TKZ-503, TKZ-504
    detokenize: ({ caller, body }) => answer(200, resolveReferences(tokens.of(caller), body, 'transformed')),

    'sessions.create': ({ caller, receipt }) => answer(201, createSession(sessions.of(caller), receipt)),
    // Requirements: SES-013
    'sessions.authorize': ({ caller, body, receipt }) =>
      answer(200, authorizeSession(sessions.of(caller), body, receipt)),

    'applications.create': ({ caller, body, receipt }) =>
      answer(201, applications.create(caller, body, receipt)),
    'applications.list': ({ caller, query }) => answer(200, applications.list(caller, query)),
    'applications.get': ({ caller, path }) => answer(200, applications.get(caller, path.id)),
    // Requirements: APP-506
    'applications.getByKey': ({ caller }) => answer(200, applications.get(caller, caller.application)),
    'applications.update': ({ caller, path, body, receipt }) =>
      answer(200, applications.update(caller, path.id, body, receipt)),
    'applications.regenerateKey': ({ caller, path, receipt }) =>
      answer(200, applications.keys.regenerate(caller, path.id, receipt)),
    'applications.addKey': ({ caller, path, receipt }) =>
      answer(201, applications.keys.add(caller, path.id, receipt)),
    'applications.listKeys': ({ caller, path }) => answer(200, applications.keys.list(caller, path.id)),
    'applications.revokeKey': ({ caller, path }) =>
      answer(204, applications.keys.revoke(caller, path.id, path.key_id)),
    'applications.delete': ({ caller, path }) => answer(204, applications.delete(caller, path.id)),

    'tenants.get': ({ caller }) => answer(200, readOwnTenant(tenants.of(caller))),
    'tenants.update': ({ caller, body, receipt }) =>
      answer(200, renameOwnTenant(tenants.of(caller), body, receipt)),
    'tenants.permissions': async () => ({ status: 200, body: describePermissions() }),

    'logs.list': ({ caller, query }) => answer(200, auditLog.list(caller, query)),

    'jobs.list': ({ caller, query }) => answer(200, listJobs(webhooks.of(caller), query)),
    'jobs.cancel': ({ caller, path }) => answer(204, cancelJob(webhooks.of(caller), path.id)),

    'reactorFormulas.create': ({ caller, body, receipt }) =>
      answer(201, createFormula(formulas.of(caller), body, receipt)),
    'reactorFormulas.list': ({ caller, query }) => answer(200, listFormulas(formulas.of(caller), query)),
    'reactorFormulas.get': ({ caller, path }) => answer(200, readFormulaById(formulas.of(caller), path.id)),
    'reactorFormulas.update': ({ caller, path, body, receipt }) =>
      answer(200, updateFormula(formulas.of(caller), path.id, body, receipt)),
    'reactorFormulas.delete': ({ caller, path }) => answer(204, deleteFormula(formulas.of(caller), path.id)),

    'reactors.create': ({ caller, body, receipt }) =>
      answer(201, createReactor(reactors.of(caller), body, receipt)),
    'reactors.list': ({ caller, query }) => answer(200, listReactors(reactors.of(caller), query)),
    'reactors.get': ({ caller, path }) => answer(200, readReactor(reactors.of(caller), path.id)),
    'reactors.update': ({ caller, path, body, receipt }) =>
      answer(200, updateReactor(reactors.of(caller), path.id, body, receipt)),
    // Requirements: REA-012
    'reactors.patch': ({ caller, path, body, receipt }) =>
      answer(204, patchReactor(reactors.of(caller), path.id, body, receipt)),
    'reactors.delete': ({ caller, path }) => answer(204, deleteReactor(reactors.of(caller), path.id)),
    'reactors.react': async ({ caller, path, body, receipt, depth, traceId }) => {
      const wanted = readCallback(body)
      const input = { reactor: path.id, args: body.args ?? {}, depth, traceId }
      if (wanted) {
        await acceptReaction(reactors.of(caller), input, wanted, receipt && (() => receipt({})))
        return { status: 202 }
      }
      const keep = (recorded: RecordedReaction) =>
        receipt && isSuccess(recorded) ? receipt({ details: recorded }) : []
      return answerOf(await reactors.react(caller, input, keep))
    },
  }
}

/** A formula may have chosen a failure as its answer, and none is kept. */
function isSuccess(reaction: RecordedReaction): boolean {
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
