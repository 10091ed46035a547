import type { Applications } from '../../access/applications.ts'
import type { JsonValue } from '../../base/json.ts'
import { readFormulaById } from '../../formulas/list.ts'
import type { ReactorsContext } from '../../reactors/context.ts'
import { readReactor } from '../../reactors/list.ts'
import { demandReaction } from '../../reactors/prepare.ts'
import type { SessionsContext } from '../../sessions/context.ts'
import { readSessionEnd } from '../../sessions/create.ts'
import { type KeptTokens, showKept } from '../../tokens/payloads/kept-tokens.ts'
import { readUpdated, type UpdateTokenInput } from '../../tokens/update.ts'
import { type KeptReaction, showReaction } from '../../webhooks/reaction.ts'
import type { Replay, Replays } from './handler.ts'
import { answerOf } from './reactors.ts'
import { pathId } from './shapes.ts'

export interface ReplayContext {
  readonly applications: Applications
  readonly reactors: ReactorsContext
  readonly sessions: SessionsContext
}

/** One for each operation that takes an idempotency key: reads its answer anew. */
// Requirements: IDE-522
export function idempotentReplays({ applications, reactors, sessions }: ReplayContext): Replays {
  const { tokens } = reactors
  const formula =
    (status: number): Replay =>
    async ({ caller }, { entity = '' }) => ({ status, body: await readFormulaById(reactors, caller, entity) })
  const reactor =
    (status: number): Replay =>
    async ({ caller }, { entity = '' }) => ({ status, body: await readReactor(reactors, caller, entity) })
  const applicationWithKey =
    (status: number): Replay =>
    async ({ caller }, { entity = '', details }) => {
      const { key } = details as { readonly key: string }
      return { status, body: await applications.getWithKey(caller, entity, key) }
    }
  return {
    'tokens.create': async ({ caller }, { details }) => {
      const kept = details as KeptTokens
      const status = kept.tokens[0]?.as === 'original' ? 200 : 201
      return { status, body: await showKept(tokens, caller, kept) }
    },
    'tokens.update': async ({ caller, path, body }, kept) => ({
      status: 200,
      body: await readUpdated(tokens, caller, pathId(path), body as UpdateTokenInput, kept),
    }),
    tokenize: async ({ caller }, { details }) => ({
      status: 200,
      body: await showKept(tokens, caller, details as KeptTokens),
    }),
    'applications.create': applicationWithKey(201),
    'applications.update': async ({ caller }, { entity = '' }) => ({
      status: 200,
      body: await applications.get(caller, entity),
    }),
    'applications.regenerateKey': applicationWithKey(200),
    'reactorFormulas.create': formula(201),
    'reactorFormulas.update': formula(200),
    'reactors.create': reactor(201),
    'reactors.update': reactor(200),
    'reactors.patch': async ({ caller }, { entity = '' }) => {
      await readReactor(reactors, caller, entity)
      return { status: 204 }
    },
    'reactors.react': async ({ caller, path, body }, { details }) => {
      const { args = {} } = body as { readonly args?: JsonValue }
      await demandReaction(reactors, caller, { reactor: pathId(path), args })
      // An accepted invocation: its outcome went to the callback.
      if (details === undefined) return { status: 202 }
      return answerOf(await showReaction(tokens, caller, details as KeptReaction))
    },
    'sessions.create': async ({ caller }, { entity = '', details }) => ({
      status: 201,
      body: { ...details, expires_at: await readSessionEnd(sessions, caller, entity) },
    }),
    'sessions.authorize': async ({ caller }, { entity = '' }) => {
      await readSessionEnd(sessions, caller, entity)
      return { status: 200 }
    },
  }
}
