import type { Caller } from '../access/caller.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Records } from '../storage/records/records.ts'
import { type FormulaConsole, Printed, readAllPrinted, readPrinted } from './console.ts'
import type { Faults } from './faults.ts'
import type { DevHandlersOf } from './handlers.ts'
import type { RequestNotes } from './request-notes.ts'

interface FormulaRunsParts {
  readonly faults: Faults
  readonly notes: WeakMap<Caller, RequestNotes>
  readonly console: FormulaConsole
  readonly records: Records
  /** The time of a tenant. */
  nowMs(tenant: string): number
}

/** The runs of formulas: they are busy as tests have ordered, and what they print is kept. */
export class FormulaRuns {
  readonly #parts: FormulaRunsParts
  /** The callers of invocations. */
  readonly #callers = new WeakMap<object, Caller>()

  constructor(parts: FormulaRunsParts) {
    this.#parts = parts
  }

  sandbox(sandbox: Sandbox): Sandbox {
    const { faults, notes, console, nowMs } = this.#parts
    return {
      run: async invocation => {
        const { tenant, reactor = '', lane, caller } = invocation
        const fault = faults.take({ on: 'formula', tenant, reactor })
        const onDisconnect = lane === 'sync' && caller ? notes.get(caller)?.onDisconnect : undefined
        if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onDisconnect)
        if (fault) return { kind: 'busy' }
        const printed = new Printed()
        const watched: typeof invocation = {
          ...invocation,
          explains: true,
          onConsole: line => {
            printed.add(line)
            console.print(tenant, reactor, line, nowMs(tenant))
          },
        }
        if (caller) this.#callers.set(watched, caller)
        const outcome = await sandbox.run(watched)
        const isFailure =
          outcome.kind === 'refused' || outcome.kind === 'unusable' || outcome.kind === 'failed'
        return isFailure ? { ...outcome, printed: printed.lines } : outcome
      },
      close: () => sandbox.close(),
    }
  }

  /** Returns what is noted about the request behind an invocation, in whose name its formula sends requests. */
  notesOf(invocation: object): RequestNotes | undefined {
    const caller = this.#callers.get(invocation)
    return caller && this.#parts.notes.get(caller)
  }

  handlers(): DevHandlersOf<'console'> & DevHandlersOf<'consoles'> {
    return {
      'dev.console.list': async ({ tenant, path }) => ({
        status: 200,
        body: { data: await readPrinted(this.#parts, tenant, path.id) },
      }),
      'dev.consoles.list': async ({ tenant }) => ({
        status: 200,
        body: { data: await readAllPrinted(this.#parts, tenant) },
      }),
    }
  }
}
