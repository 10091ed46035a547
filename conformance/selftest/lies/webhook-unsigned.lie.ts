import { relays } from '../relay.ts'
import type { Lie } from '../tell.ts'

/** A webhook has no signature. */
export const lie: Lie = {
  turns: ['INV-513.a'],
  tell: relays(({ 'webhook-signature': _gone, ...headers }) => ({ headers, times: 1 })),
}
