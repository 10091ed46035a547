import type { Applications } from '../../access/applications.ts'
import { readFormulaById } from '../../formulas/list.ts'
import type { ReactorsContext } from '../../reactors/context.ts'
import { readReactor } from '../../reactors/list.ts'
import { demandReaction } from '../../reactors/prepare.ts'
import type { SessionsContext } from '../../sessions/context.ts'
import { readSessionEnd } from '../../sessions/create.ts'
import { showKept, showKeptToken } from '../../tokens/payloads/kept-tokens.ts'
import { readUpdated } from '../../tokens/update.ts'
import { showReaction } from '../../webhooks/reaction.ts'
import type { Replays } from './handler.ts'
import { answerOf } from './reactors.ts'

export interface ReplayContext {
  readonly applications: Applications
  readonly reactors: ReactorsContext
  readonly sessions: SessionsContext
}

/** One for each operation that takes an idempotency key: reads its answer anew. */
// Requirements: IDE-522
export function idempotentReplays({ applications, reactors, sessions }: ReplayContext): Replays {
  const { tokens } = reactors
  return {
    'tokens.create': async ({ caller }, { details }) => ({
      status: details.tokens[0]?.as === 'original' ? 200 : 201,
      body: await showKeptToken(tokens, caller, details),
    }),
    'tokens.update': async ({ caller, path, body }, kept) => ({
      status: 200,
      body: await readUpdated(tokens, caller, path.id, body, kept),
    }),
    tokenize: async ({ caller }, { details }) => ({
      status: 200,
      body: await showKept(tokens, caller, details),
    }),
    'applications.create': async ({ caller }, { entity, details }) => ({
      status: 201,
      body: await applications.getWithKey(caller, entity, details.key),
    }),
    'applications.update': async ({ caller }, { entity }) => ({
      status: 200,
      body: await applications.get(caller, entity),
    }),
    'applications.regenerateKey': async ({ caller }, { entity, details }) => ({
      status: 200,
      body: await applications.getWithKey(caller, entity, details.key),
    }),
    'reactorFormulas.create': async ({ caller }, { entity }) => ({
      status: 201,
      body: await readFormulaById(reactors, caller, entity),
    }),
    'reactorFormulas.update': async ({ caller }, { entity }) => ({
      status: 200,
      body: await readFormulaById(reactors, caller, entity),
    }),
    'reactors.create': async ({ caller }, { entity }) => ({
      status: 201,
      body: await readReactor(reactors, caller, entity),
    }),
    'reactors.update': async ({ caller }, { entity }) => ({
      status: 200,
      body: await readReactor(reactors, caller, entity),
    }),
    'reactors.patch': async ({ caller }, { entity }) => {
      await readReactor(reactors, caller, entity)
      return { status: 204 }
    },
    'reactors.react': async ({ caller, path, body }, { details }) => {
      await demandReaction(reactors, caller, { reactor: path.id, args: body.args ?? {} })
      // An accepted invocation: its outcome went to the callback.
      if (details === undefined) return { status: 202 }
      return answerOf(await showReaction(tokens, caller, details))
    },
    'sessions.create': async ({ caller }, { entity, details }) => ({
      status: 201,
      body: { ...details, expires_at: await readSessionEnd(sessions, caller, entity) },
    }),
    'sessions.authorize': async ({ caller }, { entity }) => {
      await readSessionEnd(sessions, caller, entity)
      return { status: 200 }
    },
  }
}
