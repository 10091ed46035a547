import type { Observer, Work } from '../base/observer.ts'
import type { Outcome, Sandbox } from './sandbox.ts'

const outcomeOf = (outcome: Outcome) => (outcome.kind === 'failed' ? outcome.reason : outcome.kind)

const works = {
  sync: { kind: 'formula', name: 'sync', outcomeOf },
  async: { kind: 'formula', name: 'async', outcomeOf },
} as const satisfies Record<string, Work<Outcome>>

/** The same sandbox, with its invocations observed. */
export function observeSandbox(sandbox: Sandbox, observer: Observer | undefined): Sandbox {
  if (!observer) return sandbox
  return {
    run: invocation => observer.run(works[invocation.lane], () => sandbox.run(invocation)),
    close: () => sandbox.close(),
  }
}
