import type { Natives } from '../natives.child.ts'

/** What reaches out of the invocation that is at work, and nowhere once it is over. */
export interface Bridge {
  print(level: string, text: string): void
  /** Answers the timer's number. @throws {RangeError} when there are too many */
  setTimer(callback: () => void, ms: number, repeat: boolean): number
  clearTimer(id: unknown): void
  /** A microtask whose error ends the invocation. */
  soon(callback: () => void): void
  call(
    kind: 'svc' | 'fetch',
    method: string,
    target: string,
    headers: readonly (readonly [string, string])[],
    body: Uint8Array | undefined,
  ): Promise<readonly [status: number, headers: readonly (readonly [string, string])[], body: Uint8Array]>
}

declare const __natives: Natives
declare const __bridge: Bridge

/** Both are globals of the compartment these classes are evaluated in, which no formula sees. */
export const natives = __natives
export const bridge = __bridge
