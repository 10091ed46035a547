import type { Dice } from '../dice.ts'
import { template } from './expressions.ts'
import { anyText, word } from './texts.ts'

/** Makes values for the id of a token: ids of all lengths, expressions, and values that are neither. */
export function id(dice: Dice): string {
  return dice.weighted([
    [3, word(dice, 1, 30)],
    [2, word(dice, 1, 3).repeat(dice.int(1, 200))],
    [1, 'x'.repeat(dice.pick([2, 3, 199, 200, 201, 399, 400, 401]))],
    [1, '🙂'.repeat(dice.pick([1, 2, 100, 200, 201]))],
    [2, anyText(dice)],
    [
      3,
      `{{ data | stringify | ${dice.pick(['alias_preserve_length', 'alias_preserve_format: 2, 2', 'alias_card', 'upcase'])} }}`,
    ],
    [2, template(dice)],
    [1, `${word(dice)}${dice.pick([...'#/\\+?[]|&=%<>{}^ \u0000\u0085\t'])}${word(dice)}`],
    [1, dice.text('{}% ', 1, 400)],
    [1, dice.uuid()],
    [1, dice.uuid().slice(1)],
  ])
}
