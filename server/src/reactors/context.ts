import type { Behalf } from '../access/behalf.ts'
import type { Caller } from '../access/caller.ts'
import type { FormulasContext } from '../formulas/context.ts'
import type { Sandbox, ServiceTransport } from '../sandbox/sandbox.ts'
import type { TokensContext } from '../tokens/context.ts'
import type { Jobs } from '../webhooks/webhooks.ts'
import type { FormulaConsole } from './console.ts'

/** What the verbs of this folder work with. */
export interface ReactorsContext extends FormulasContext {
  readonly tokens: TokensContext
  /** Runs the code. */
  readonly sandbox: Sandbox
  /** Keeps asynchronous invocations. */
  readonly jobs: Jobs
  /** Where the lines go that formulas print; nowhere, unless this is a development server. */
  readonly console?: FormulaConsole | undefined
  /** Answers what a formula's client asks for, in someone's name. */
  service(behalf: Behalf): ServiceTransport
  /** A caller as it is now, for a job that waited; `undefined` where the application or session is gone or over. */
  callerAgain(job: Pick<Caller, 'tenant' | 'application' | 'session'>): Promise<Caller | undefined>
}
