import type { Applications } from '../../access/applications.ts'
import type { Tenants } from '../../access/tenants.ts'
import type { Token } from '../../contract/types.ts'
import type { Formulas } from '../../formulas/formulas.ts'
import type { Reactors } from '../../reactors/reactors.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Tokens } from '../../tokens/tokens.ts'
import { showReaction } from '../../webhooks/reaction.ts'
import { answer, type Replays } from './handler.ts'
import { answerOf } from './operations.ts'

interface ReplayRooms {
  readonly applications: Applications
  readonly tenants: Tenants
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly formulas: Formulas
  readonly reactors: Reactors
}

/** One for each operation that takes an idempotency key: reads its answer anew. */
// Requirements: IDE-522
export function idempotentReplays(rooms: ReplayRooms): Replays {
  const { applications, tenants, sessions, tokens, formulas, reactors } = rooms
  return {
    'tokens.create': ({ caller }, { details }) =>
      answer(
        details.tokens[0]?.as === 'original' ? 200 : 201,
        tokens.showRecorded(caller, details) as Promise<unknown> as Promise<Token>,
      ),
    'tokens.update': ({ caller, path, body }, recorded) =>
      answer(200, tokens.readUpdated(caller, path.id, body, recorded)),
    tokenize: ({ caller }, { details }) => answer(200, tokens.showRecorded(caller, details)),
    'applications.create': ({ caller }, { entity, details }) =>
      answer(201, applications.keys.getApplication(caller, entity, details.key)),
    'applications.update': ({ caller }, { entity }) => answer(200, applications.get(caller, entity)),
    'applications.regenerateKey': ({ caller }, { entity, details }) =>
      answer(200, applications.keys.getApplication(caller, entity, details.key)),
    'applications.addKey': ({ caller }, { entity, details }) =>
      answer(201, applications.keys.get(caller, entity, details.key)),
    'tenants.update': ({ caller }) => answer(200, tenants.read(caller)),
    'reactorFormulas.create': ({ caller }, { entity }) => answer(201, formulas.read(caller, entity)),
    'reactorFormulas.update': ({ caller }, { entity }) => answer(200, formulas.read(caller, entity)),
    'reactors.create': ({ caller }, { entity }) => answer(201, reactors.read(caller, entity)),
    'reactors.update': ({ caller }, { entity }) => answer(200, reactors.read(caller, entity)),
    'reactors.patch': async ({ caller }, { entity }) => {
      await reactors.read(caller, entity)
      return { status: 204 }
    },
    'reactors.react': async ({ caller, path, body }, { details }) => {
      await reactors.demand(caller, { reactor: path.id, args: body.args ?? {} })
      // An accepted invocation: its outcome went to the callback.
      if (details === undefined) return { status: 202 }
      return answerOf(await showReaction(tokens, caller, details))
    },
    'sessions.create': async ({ caller }, { entity, details }) => ({
      status: 201,
      body: { ...details, expires_at: await sessions.readEnd(caller, entity) },
    }),
    'sessions.authorize': async ({ caller }, { entity }) => {
      await sessions.readEnd(caller, entity)
      return { status: 200 }
    },
  }
}
