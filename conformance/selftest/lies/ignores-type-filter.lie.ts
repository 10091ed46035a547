import { about, type Lie, say, tokens } from '../tell.ts'

/** A list ignores the types it is asked for. */
export const lie: Lie = {
  turns: ['TOK-020.a'],
  tell: about('GET', tokens, (heard, next) =>
    next(say(heard, { search: heard.search.replaceAll(/type=\w+&?/g, '') })),
  ),
}
