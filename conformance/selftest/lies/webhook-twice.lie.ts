import { relays } from '../relay.ts'
import type { Lie } from '../tell.ts'

/** A webhook is delivered twice. */
export const lie: Lie = {
  turns: ['INV-512.a'],
  tell: relays(headers => ({ headers, times: 2 })),
}
