import { allFilters } from '../../../src/expressions/filters/index.ts'
import type { Dice } from '../dice.ts'
import { anyText, awkwardNumbers } from './texts.ts'

const filters = [...allFilters.keys()]
const paths = [
  'data',
  'data.number',
  'data.a',
  'data[0]',
  'data["b"]',
  'data.first',
  'data.size',
  'metadata.k',
]
const operators = ['==', '!=', '<', '>', '<=', '>=', 'contains', 'and', 'or']
const jsonPaths = [
  '$',
  '$.a',
  '$..a',
  '$[0]',
  '$[*]',
  '$..*',
  "$['a']",
  '$[-1]',
  '$.a.b[?(@.c)]',
  '$..[0:2]',
  'a',
]

/** Expressions that are valid for any data. */
export const safeExpressions: readonly string[] = [
  '{{ data | stringify }}',
  '{{ data | stringify | reveal_last: 4 }}',
  'plain text',
  '{% if data %}yes{% endif %}',
  '{{ data | stringify | size }}',
]

/** Makes a template from the grammar of the language, sometimes malformed. */
export function template(dice: Dice, depth = 0): string {
  const parts = dice.list(1, 3, () => part(dice, depth))
  const whole = parts.join(dice.pick(['', ' ', 'x']))
  return dice.chance(0.15) ? damage(dice, whole) : whole
}

function part(dice: Dice, depth: number): string {
  if (depth > 3 || dice.chance(0.5)) return output(dice)
  const inner = () => template(dice, depth + 1)
  return dice.pick([
    () =>
      `{% if ${condition(dice)} %}${inner()}{% elsif ${condition(dice)} %}${inner()}{% else %}${inner()}{% endif %}`,
    () => `{% unless ${condition(dice)} %}${inner()}{% endunless %}`,
    () =>
      `{% for i in ${range(dice)} ${dice.pick(['', 'reversed', 'limit:2', 'offset:1', 'limit:data'])} %}${inner()}{% endfor %}`,
    () => `{% tablerow i in ${range(dice)} cols:${dice.int(-1, 3)} %}${inner()}{% endtablerow %}`,
    () =>
      `{% case ${operand(dice)} %}{% when ${operand(dice)}, ${operand(dice)} %}${inner()}{% else %}${inner()}{% endcase %}`,
    () => `{% assign x = ${filtered(dice)} %}{{ x }}`,
    () => `{% capture x %}${inner()}{% endcapture %}{{ x | size }}`,
    () => `{% cycle ${operand(dice)}, ${operand(dice)} %}`,
    () => `{% increment x %}{% decrement x %}`,
    () => `{% raw %}${inner()}{% endraw %}`,
    () => `{% comment %}${inner()}{% endcomment %}`,
    () => `{% liquid\necho ${filtered(dice)}\nassign x = ${operand(dice)} %}`,
    () =>
      `{% ${dice.pick(['include', 'render', 'layout', 'block', 'break', 'continue', '#', 'nonsense'])} ${operand(dice)} %}`,
    () => anyText(dice),
  ])()
}

const output = (dice: Dice) => `{{${dice.pick(['', '-'])} ${filtered(dice)} ${dice.pick(['', '-'])}}}`

function filtered(dice: Dice): string {
  const chain = dice.list(0, 3, () => {
    const name = dice.chance(0.95) ? dice.pick(filters) : anyText(dice)
    const given = dice.list(0, 3, () => argument(dice, name)).join(', ')
    return given === '' ? ` | ${name}` : ` | ${name}: ${given}`
  })
  return operand(dice) + chain.join('')
}

function argument(dice: Dice, filter: string): string {
  if (filter === 'json' && dice.chance(0.8)) return quoted(dice.pick(jsonPaths))
  return dice.weighted([
    [5, operand(dice)],
    [1, `mask=${operand(dice)}`],
    [1, `mask: ${operand(dice)}`],
  ])
}

function operand(dice: Dice): string {
  return dice.weighted([
    [5, dice.pick(paths)],
    [2, String(dice.int(-5, 20))],
    [1, dice.pick(awkwardNumbers)],
    [3, quoted(anyText(dice))],
    [1, dice.pick(['true', 'false', 'nil', 'empty', 'blank', 'forloop.index', 'x', 'i'])],
    [1, range(dice)],
  ])
}

const quoted = (text: string) => (text.includes("'") ? `"${text.replaceAll('"', '')}"` : `'${text}'`)
const condition = (dice: Dice) => `${operandFlat(dice)} ${dice.pick(operators)} ${operandFlat(dice)}`
const operandFlat = (dice: Dice) => dice.pick([...paths, '1', "'a'", 'nil', 'true'])
const range = (dice: Dice) =>
  dice.pick(['data', 'data.a', '(1..3)', '(1..data)', '(3..1)', `(0..${dice.int(-9, 20000)})`])

function damage(dice: Dice, text: string): string {
  const at = dice.int(0, text.length)
  return dice.pick([
    text.slice(0, at),
    text.slice(0, at) + dice.pick(['{{', '}}', '{%', '%}', "'", '"', '|', '(', '[']) + text.slice(at),
    text.slice(0, at) + text.slice(at + 2),
    text.repeat(dice.int(2, 40)),
  ])
}
