import type { HeaderPairs } from '../../protocol/messages.ts'
import type { Natives } from '../natives.child.ts'

export type CallResponse = readonly [status: number, headers: HeaderPairs, body: Uint8Array]

/** The effects that the current invocation may have; none once it has ended. */
export interface Bridge {
  print(level: string, text: string): void
  /** Returns the id of the timer. @throws {RangeError} if there are too many */
  setTimer(callback: () => void, ms: number, repeat: boolean): number
  clearTimer(id: unknown): void
  /** Queues a microtask. If it throws, the invocation fails. */
  soon(callback: () => void): void
  call(
    kind: 'svc' | 'fetch',
    method: string,
    target: string,
    headers: HeaderPairs,
    body: Uint8Array | undefined,
    redirect?: string,
  ): Promise<CallResponse>
}

declare const __natives: Natives
declare const __bridge: Bridge

/** Globals of the compartment in which these classes are evaluated; formulas cannot see them. */
export const natives = __natives
export const bridge = __bridge
