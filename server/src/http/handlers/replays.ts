import { readOwnTenant } from '../../access/own-tenant.ts'
import type { Token } from '../../contract/types.ts'
import { readFormulaById } from '../../formulas/list.ts'
import { readReactor } from '../../reactors/list.ts'
import { demandReaction } from '../../reactors/prepare.ts'
import { readSessionEnd } from '../../sessions/create.ts'
import { showRecorded } from '../../tokens/payloads/recorded-tokens.ts'
import { readUpdated } from '../../tokens/update.ts'
import { showReaction } from '../../webhooks/reaction.ts'
import { answer, type Replays } from './handler.ts'
import { answerOf } from './operations.ts'
import type { Rooms } from './rooms.ts'

/** One for each operation that takes an idempotency key: reads its answer anew. */
// Requirements: IDE-522
export function idempotentReplays(rooms: Rooms): Replays {
  const { applications, tenants, sessions, tokens, formulas, reactors } = rooms
  return {
    'tokens.create': ({ caller }, { details }) =>
      answer(
        details.tokens[0]?.as === 'original' ? 200 : 201,
        showRecorded(tokens.of(caller), details) as Promise<unknown> as Promise<Token>,
      ),
    'tokens.update': ({ caller, path, body }, recorded) =>
      answer(200, readUpdated(tokens.of(caller), path.id, body, recorded)),
    tokenize: ({ caller }, { details }) => answer(200, showRecorded(tokens.of(caller), details)),
    'applications.create': ({ caller }, { entity, details }) =>
      answer(201, applications.keys.getApplication(caller, entity, details.key)),
    'applications.update': ({ caller }, { entity }) => answer(200, applications.get(caller, entity)),
    'applications.regenerateKey': ({ caller }, { entity, details }) =>
      answer(200, applications.keys.getApplication(caller, entity, details.key)),
    'applications.addKey': ({ caller }, { entity, details }) =>
      answer(201, applications.keys.get(caller, entity, details.key)),
    'tenants.update': ({ caller }) => answer(200, readOwnTenant(tenants.of(caller))),
    'reactorFormulas.create': ({ caller }, { entity }) =>
      answer(201, readFormulaById(formulas.of(caller), entity)),
    'reactorFormulas.update': ({ caller }, { entity }) =>
      answer(200, readFormulaById(formulas.of(caller), entity)),
    'reactors.create': ({ caller }, { entity }) => answer(201, readReactor(reactors.of(caller), entity)),
    'reactors.update': ({ caller }, { entity }) => answer(200, readReactor(reactors.of(caller), entity)),
    'reactors.patch': async ({ caller }, { entity }) => {
      await readReactor(reactors.of(caller), entity)
      return { status: 204 }
    },
    'reactors.react': async ({ caller, path, body }, { details }) => {
      await demandReaction(reactors.of(caller), { reactor: path.id, args: body.args ?? {} })
      // An accepted invocation: its outcome went to the callback.
      if (details === undefined) return { status: 202 }
      return answerOf(await showReaction(tokens, caller, details))
    },
    'sessions.create': async ({ caller }, { entity, details }) => ({
      status: 201,
      body: { ...details, expires_at: await readSessionEnd(sessions.of(caller), entity) },
    }),
    'sessions.authorize': async ({ caller }, { entity }) => {
      await readSessionEnd(sessions.of(caller), entity)
      return { status: 200 }
    },
  }
}
