import { about, type Lie, say, tokens } from '../tell.ts'

/** Of several metadata filters the first counts. */
export const lie: Lie = {
  turns: ['TOK-022.a'],
  tell: about('GET', tokens, (heard, next) =>
    next(say(heard, { search: heard.search.replace(/(metadata\.[^&]+)&metadata\.[^&]+/, '$1') })),
  ),
}
