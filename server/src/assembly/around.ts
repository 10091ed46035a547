import type { ExchangesOptions } from '../egress/exchange.ts'
import type { OriginOptions } from '../egress/origins.ts'
import type { Handlers } from '../http/handlers/handler.ts'
import type { Outside } from '../http/pipeline/core.ts'
import type { Respond, Services, Step } from '../http/pipeline/exchange.ts'
import type { Refusals } from '../http/pipeline/refusals.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Interruption, Tenancy } from './tenancy.ts'

/** What sends a request that leaves the server. */
export type OutgoingKind = 'formula' | 'proxy' | 'delivery'

/** What is put around the network, and the origins that are allowed for it. */
export type AroundNetwork = Pick<ExchangesOptions, 'around'> & Pick<OriginOptions, 'alsoAllows'>

/** What a development server puts around the parts of a server. Others have `nothing` there. */
export interface Around extends Interruption {
  outgoing(on: OutgoingKind): AroundNetwork
  sandbox(sandbox: Sandbox): Sandbox
  handlers(handlers: Handlers): Handlers
  steps(steps: readonly Step[]): readonly Step[]
  /** Put around the steps, within all others. */
  checked(respond: Respond): Respond
  /** Put around all others. */
  respond(respond: Respond): Respond
  outside(outside: Outside): Outside
  /** Called with what steps work with, before the first request. */
  serving(services: Services, refusals: Refusals): void
  /** Called once, with the tenants that are there at the start. */
  opened(tenancy: Tenancy): Promise<void>
  /** Ends the waits of tests. */
  close(): void
}

export const nothing: Around = {
  outgoing: () => ({}),
  sandbox: sandbox => sandbox,
  handlers: handlers => handlers,
  steps: steps => steps,
  checked: respond => respond,
  respond: respond => respond,
  outside: outside => outside,
  serving: () => {},
  between: work => work(),
  alone: work => work(),
  cleared: () => {},
  opened: async () => {},
  close: () => {},
}
