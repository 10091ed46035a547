import type { Caller } from '../access/caller.ts'
import type { JsonValue } from '../base/json/json.ts'
import { limits } from '../generated/facts.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { KeptReaction, Reaction } from '../webhooks/reaction.ts'
import { refusalOf } from './outcome.ts'
import { type Prepared, prepare, type ReactInput } from './prepare.ts'
import { Printed, type PrintedText } from './printed-lines.ts'
import type { ReactorsContext } from './reactors-context.ts'
import { settle } from './store-answer.ts'

/**
 * Invokes a reactor synchronously.
 *
 * @param receipt keeps the reaction, in the commit that makes its tokens
 * @throws {ServiceError} like `prepare` and `settle`; the refusal or failure of the formula
 */
// Requirements: INV-001
export async function react(
  context: ReactorsContext,
  caller: Caller,
  input: ReactInput,
  receipt?: Receipt<KeptReaction>,
): Promise<Reaction> {
  const prepared = await prepare(context, caller, input)
  const { outcome, printed } = await run(context, caller, prepared, {
    timeoutMs: limits.formulaTime,
    lane: 'sync',
    depth: input.depth,
  })
  if (outcome.kind !== 'answered' && outcome.kind !== 'custom') throw refusalOf(outcome, printed)
  return settle(context, caller, outcome, receipt)
}

interface RunOptions {
  readonly timeoutMs: number
  readonly lane: 'sync' | 'async'
  readonly depth: number
  /** True if all that the code returns is its result, whatever members it has. */
  readonly isTransform?: boolean
}

interface Ran {
  readonly outcome: Outcome
  /** What the formula printed; only on a development server. */
  readonly printed?: readonly PrintedText[]
}

/** Records that a reactor is used, and runs the code of a valid invocation of it. */
export async function run(
  context: ReactorsContext,
  caller: Caller,
  prepared: Prepared,
  options: RunOptions,
): Promise<Ran> {
  await context.tokens.audit.record(caller.tenant, {
    operation: 'token:use',
    entity_type: 'reactor',
    entity_id: prepared.reactor.id,
    actor: caller.application,
    session: caller.session,
  })
  return runCode(context, caller, prepared, options)
}

/** The parts of an invocation that the sandbox needs. */
interface Runnable extends Pick<Prepared, 'configuration' | 'delegation'> {
  /** What the code belongs to. */
  readonly reactor: { readonly id: string }
  readonly formula: { readonly code: string }
  readonly args: JsonValue
}

/** Runs code for a caller. */
export async function runCode(
  context: ReactorsContext,
  caller: Caller,
  { reactor, formula, configuration, args, delegation }: Runnable,
  options: RunOptions,
): Promise<Ran> {
  if (await context.isKeptBusy?.(caller.tenant, reactor.id, options.lane))
    return { outcome: { kind: 'busy' } }
  const { console } = context
  const printed = console && new Printed()
  // Requirements: INV-018
  const outcome = await context.sandbox.run({
    tenant: caller.tenant,
    application: caller.application,
    session: caller.session,
    code: formula.code,
    args,
    configuration,
    svc: delegation ? context.service(delegation) : null,
    ...options,
    ...(console && {
      explains: true,
      onConsole: line => {
        printed?.add(line)
        console.print(caller.tenant, reactor.id, line, context.nowUs(caller.tenant) / 1000)
      },
    }),
  })
  return { outcome, ...(printed && { printed: printed.lines }) }
}
