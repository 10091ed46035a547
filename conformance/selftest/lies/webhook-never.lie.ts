import { relays } from '../relay.ts'
import type { Lie } from '../tell.ts'

/** No webhook is ever delivered. */
export const lie: Lie = {
  turns: ['INV-022.a'],
  tell: relays(headers => ({ headers, times: 0 })),
}
