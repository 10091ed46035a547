import type { Dice } from '../dice.ts'
import { container } from './containers.ts'
import { date } from './dates.ts'
import { anyText, word } from './texts.ts'

/** Makes a valid search query. */
export function validQuery(dice: Dice): string {
  return dice.pick([
    () => 'type:card OR type:bank',
    () => `metadata.k:${word(dice)}`,
    () => `(type:token AND NOT data:"${word(dice)}")`,
    () => 'container:"/general/*" AND created_at:[2020-01-01 TO *]',
    () => `data:${word(dice)} OR id:${word(dice)}`,
    () => '',
  ])()
}

/** Makes a search query from the grammar, with parts that only Lucene supports, sometimes malformed. */
export function query(dice: Dice, depth = 0): string {
  if (depth > 5 || dice.chance(0.4)) return term(dice)
  const made = dice.pick([
    () => `(${query(dice, depth + 1)})`,
    () =>
      `${query(dice, depth + 1)} ${dice.pick(['AND', 'OR', 'AND NOT', 'OR NOT', '&&', 'and', ''])} ${query(dice, depth + 1)}`,
    () => `${dice.pick(['NOT ', '!', '-', '+', '!!', 'NOT NOT '])}${query(dice, depth + 1)}`,
  ])()
  if (!dice.chance(0.08)) return made
  const at = dice.int(0, made.length)
  return (
    made.slice(0, at) +
    dice.pick(['(', ')', '"', ':', '[', '}', '\\', '*', '~2', '^3', '\u0000']) +
    made.slice(at + 1)
  )
}

const fields = [
  'id',
  'type',
  'data',
  'fingerprint',
  'container',
  'created_by',
  'created_at',
  'modified_by',
  'modified_at',
]

function term(dice: Dice): string {
  const field = dice.weighted([
    [8, dice.pick(fields)],
    [3, `metadata.${word(dice)}`],
    [1, `metadata.${anyText(dice)}`],
    [1, anyText(dice)],
  ])
  return `${field}:${value(dice, field)}`
}

function value(dice: Dice, field: string): string {
  if (/_at$/.test(field) && dice.chance(0.7)) {
    const end = () => dice.pick(['*', date(dice), '2030-01-31', '2030-01-31T10:00:00Z'])
    return dice.chance(0.6) ? `${dice.pick(['[', '{'])}${end()} TO ${end()}${dice.pick([']', '}'])}` : end()
  }
  if (field === 'container') return `"${container(dice)}${dice.pick(['', '*', '/*', '**'])}"`
  return dice.weighted([
    [4, word(dice)],
    [2, `"${anyText(dice).replaceAll('"', '\\"')}"`],
    [2, anyText(dice)],
    [1, dice.pick(['*', 'a*', '/a+/', '(a b)', '[1 TO 2]', '"', '\\', 'a\\ b', 'a~', 'a^2', '"a" "b"'])],
  ])
}
