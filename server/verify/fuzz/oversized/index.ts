import { heads } from './heads.ts'
import { codes, invocations } from './invocations.ts'
import { lists } from './lists.ts'
import { nestings } from './nestings.ts'
import { searches } from './searches.ts'
import { filled, mebibyte, type Oversized, token } from './shape.ts'
import { templates } from './templates.ts'
import { texts } from './texts.ts'

const tooLarge: Oversized = {
  title: 'a body over the limit',
  operation: 'tokens.create',
  make: dice => ({
    body: token({ data: filled('x', mebibyte + dice.pick([-40, 0, 1, mebibyte, 4 * mebibyte])) }),
  }),
}

/** The families of shapes. Each is chosen equally often, however many shapes it has. */
export const oversized: readonly (readonly Oversized[])[] = [
  texts,
  texts,
  lists,
  lists,
  nestings,
  searches,
  heads,
  templates,
  codes,
  invocations,
  [tooLarge],
]
