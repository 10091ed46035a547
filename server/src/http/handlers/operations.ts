import type { Applications } from '../../access/applications.ts'
import { type AuditContext, listLog } from '../../access/audit-log.ts'
import {
  describePermissions,
  type OwnTenantContext,
  readOwnTenant,
  renameOwnTenant,
} from '../../access/own-tenant.ts'
import { bodiless } from '../../base/bodiless-statuses.ts'
import type { FormulasContext } from '../../formulas/find.ts'
import { listFormulas, readFormulaById } from '../../formulas/list.ts'
import { createFormula, deleteFormula, updateFormula } from '../../formulas/write-formula.ts'
import { acceptReaction } from '../../reactors/jobs.ts'
import { listReactors, readReactor } from '../../reactors/list.ts'
import { readWanted } from '../../reactors/prepare.ts'
import { react } from '../../reactors/react.ts'
import type { ReactorsContext } from '../../reactors/reactors-context.ts'
import { createReactor, deleteReactor, patchReactor, updateReactor } from '../../reactors/write-reactor.ts'
import { authorizeSession } from '../../sessions/authorize.ts'
import { createSession } from '../../sessions/create.ts'
import type { SessionsContext } from '../../sessions/sessions-context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/erase.ts'
import { listTokens, searchTokens } from '../../tokens/list.ts'
import { detokenize } from '../../tokens/payloads/detokenize.ts'
import { tokenize } from '../../tokens/payloads/tokenize.ts'
import { readToken } from '../../tokens/read.ts'
import type { TokensContext } from '../../tokens/tokens-context.ts'
import { updateToken } from '../../tokens/update.ts'
import { cancelJob, listJobs } from '../../webhooks/jobs.ts'
import type { Reaction, RecordedReaction } from '../../webhooks/reaction.ts'
import type { WebhooksContext } from '../../webhooks/webhooks-context.ts'
import { answer, type HandlerAnswer, type Handlers, type HandlersOf } from './handler.ts'

export function tokenHandlers(context: TokensContext): HandlersOf<'tokens'> {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const { token, created } = await createToken(context, caller, body, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': ({ caller, query }) => answer(200, listTokens(context, caller, query)),
    'tokens.search': ({ caller, body }) => answer(200, searchTokens(context, caller, body)),
    'tokens.get': ({ caller, path }) => answer(200, readToken(context, caller, path.id)),
    'tokens.update': ({ caller, path, body, receipt }) =>
      answer(200, updateToken(context, caller, path.id, body, receipt)),
    'tokens.delete': ({ caller, path }) => answer(204, deleteToken(context, caller, path.id)),
  }
}

export function tokenizationHandlers(context: TokensContext): Pick<Handlers, 'tokenize' | 'detokenize'> {
  return {
    tokenize: ({ caller, body, receipt }) =>
      answer(
        200,
        tokenize(context, caller, body, {
          receipt: receipt && (recorded => receipt({ details: recorded })),
        }),
      ),
    detokenize: ({ caller, body }) => answer(200, detokenize(context, caller, body)),
  }
}

export function formulaHandlers(context: FormulasContext): HandlersOf<'reactorFormulas'> {
  return {
    'reactorFormulas.create': ({ caller, body, receipt }) =>
      answer(201, createFormula(context, caller, body, receipt)),
    'reactorFormulas.list': ({ caller, query }) => answer(200, listFormulas(context, caller, query)),
    'reactorFormulas.get': ({ caller, path }) => answer(200, readFormulaById(context, caller, path.id)),
    'reactorFormulas.update': ({ caller, path, body, receipt }) =>
      answer(200, updateFormula(context, caller, path.id, body, receipt)),
    'reactorFormulas.delete': ({ caller, path }) => answer(204, deleteFormula(context, caller, path.id)),
  }
}

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
      const keep = (recorded: RecordedReaction) =>
        receipt && isSuccess(recorded) ? receipt({ details: recorded }) : []
      return answerOf(await react(context, caller, input, keep))
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

export function jobHandlers(
  context: Pick<WebhooksContext, 'store' | 'random' | 'clock'>,
): HandlersOf<'jobs'> {
  return {
    'jobs.list': ({ caller, query }) => answer(200, listJobs(context, caller, query)),
    'jobs.cancel': ({ caller, path }) => answer(204, cancelJob(context, caller, path.id)),
  }
}

export function sessionHandlers(context: SessionsContext): HandlersOf<'sessions'> {
  return {
    'sessions.create': ({ caller, receipt }) => answer(201, createSession(context, caller, receipt)),
    // Requirements: SES-013
    'sessions.authorize': ({ caller, body, receipt }) =>
      answer(200, authorizeSession(context, caller, body, receipt)),
  }
}

export function applicationHandlers(applications: Applications): HandlersOf<'applications'> {
  return {
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
  }
}

export function tenantHandlers(context: OwnTenantContext): HandlersOf<'tenants'> {
  return {
    'tenants.get': ({ caller }) => answer(200, readOwnTenant(context, caller)),
    'tenants.update': ({ caller, body, receipt }) =>
      answer(200, renameOwnTenant(context, caller, body, receipt)),
    'tenants.permissions': async () => ({ status: 200, body: describePermissions() }),
  }
}

export function logHandlers(context: AuditContext): HandlersOf<'logs'> {
  return {
    'logs.list': ({ caller, query }) => answer(200, listLog(context, caller, query)),
  }
}
