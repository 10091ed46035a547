import type { Applications } from '../../access/applications.ts'
import type { AuditLog } from '../../access/audit-log.ts'
import { describePermissions } from '../../access/own-tenant.ts'
import type { Tenants } from '../../access/tenants.ts'
import { bodiless } from '../../base/bodiless-statuses.ts'
import type { Formulas } from '../../formulas/formulas.ts'
import { readWanted } from '../../reactors/prepare.ts'
import type { Reactors } from '../../reactors/reactors.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Tokens } from '../../tokens/tokens.ts'
import { cancelJob, listJobs } from '../../webhooks/jobs.ts'
import type { Reaction, RecordedReaction } from '../../webhooks/reaction.ts'
import type { WebhooksContext } from '../../webhooks/webhooks-context.ts'
import { answer, type HandlerAnswer, type Handlers, type HandlersOf } from './handler.ts'

export function tokenHandlers(tokens: Tokens): HandlersOf<'tokens'> {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const { token, created } = await tokens.create(caller, body, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': ({ caller, query }) => answer(200, tokens.list(caller, query)),
    'tokens.search': ({ caller, body }) => answer(200, tokens.search(caller, body)),
    'tokens.get': ({ caller, path }) => answer(200, tokens.read(caller, path.id)),
    'tokens.update': ({ caller, path, body, receipt }) =>
      answer(200, tokens.update(caller, path.id, body, receipt)),
    'tokens.delete': ({ caller, path }) => answer(204, tokens.delete(caller, path.id)),
  }
}

export function tokenizationHandlers(tokens: Tokens): Pick<Handlers, 'tokenize' | 'detokenize'> {
  return {
    tokenize: ({ caller, body, receipt }) =>
      answer(
        200,
        tokens.tokenize(caller, body, {
          receipt: receipt && (recorded => receipt({ details: recorded })),
        }),
      ),
    detokenize: ({ caller, body }) => answer(200, tokens.detokenize(caller, body)),
  }
}

export function formulaHandlers(formulas: Formulas): HandlersOf<'reactorFormulas'> {
  return {
    'reactorFormulas.create': ({ caller, body, receipt }) =>
      answer(201, formulas.create(caller, body, receipt)),
    'reactorFormulas.list': ({ caller, query }) => answer(200, formulas.list(caller, query)),
    'reactorFormulas.get': ({ caller, path }) => answer(200, formulas.read(caller, path.id)),
    'reactorFormulas.update': ({ caller, path, body, receipt }) =>
      answer(200, formulas.update(caller, path.id, body, receipt)),
    'reactorFormulas.delete': ({ caller, path }) => answer(204, formulas.delete(caller, path.id)),
  }
}

export function reactorHandlers(reactors: Reactors): HandlersOf<'reactors'> {
  return {
    'reactors.create': ({ caller, body, receipt }) => answer(201, reactors.create(caller, body, receipt)),
    'reactors.list': ({ caller, query }) => answer(200, reactors.list(caller, query)),
    'reactors.get': ({ caller, path }) => answer(200, reactors.read(caller, path.id)),
    'reactors.update': ({ caller, path, body, receipt }) =>
      answer(200, reactors.update(caller, path.id, body, receipt)),
    // Requirements: REA-012
    'reactors.patch': ({ caller, path, body, receipt }) =>
      answer(204, reactors.patch(caller, path.id, body, receipt)),
    'reactors.delete': ({ caller, path }) => answer(204, reactors.delete(caller, path.id)),
    'reactors.react': async ({ caller, path, body, receipt, depth, traceId }) => {
      const wanted = readWanted(body)
      const input = { reactor: path.id, args: body.args ?? {}, depth, traceId }
      if (wanted) {
        await reactors.accept(caller, input, wanted, receipt && (() => receipt({})))
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

export function jobHandlers(
  context: Pick<WebhooksContext, 'store' | 'random' | 'clock'>,
): HandlersOf<'jobs'> {
  return {
    'jobs.list': ({ caller, query }) => answer(200, listJobs(context, caller, query)),
    'jobs.cancel': ({ caller, path }) => answer(204, cancelJob(context, caller, path.id)),
  }
}

export function sessionHandlers(sessions: Sessions): HandlersOf<'sessions'> {
  return {
    'sessions.create': ({ caller, receipt }) => answer(201, sessions.create(caller, receipt)),
    // Requirements: SES-013
    'sessions.authorize': ({ caller, body, receipt }) =>
      answer(200, sessions.authorize(caller, body, receipt)),
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

export function tenantHandlers(tenants: Tenants): HandlersOf<'tenants'> {
  return {
    'tenants.get': ({ caller }) => answer(200, tenants.read(caller)),
    'tenants.update': ({ caller, body, receipt }) => answer(200, tenants.rename(caller, body, receipt)),
    'tenants.permissions': async () => ({ status: 200, body: describePermissions() }),
  }
}

export function logHandlers(log: AuditLog): HandlersOf<'logs'> {
  return {
    'logs.list': ({ caller, query }) => answer(200, log.list(caller, query)),
  }
}
