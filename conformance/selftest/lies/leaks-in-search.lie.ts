import { type Lie, pretends, tokenSearch } from '../tell.ts'

/** A search shows the whole data to everyone. */
export const lie: Lie = {
  turns: ['SEA-031.a'],
  tell: pretends('POST', tokenSearch, [200], target => [target.privateKey]),
}
