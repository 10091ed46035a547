import { relays } from '../relay.ts'
import type { Lie } from '../tell.ts'

/** A webhook does not carry the trace id. */
export const lie: Lie = {
  turns: ['INV-512.a'],
  tell: relays(({ 'svc-trace-id': _gone, ...headers }) => ({ headers, times: 1 })),
}
