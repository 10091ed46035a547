import fc from 'fast-check'
import { allFilters } from '../../src/expressions/filters/index.ts'
import { anyText, awkwardNumbers, repeated, text, weighted, word } from './texts.ts'

/** Texts whose language only the descriptions in the contract define, sometimes malformed. */

const from = (words: string, separator = ' ') => fc.constantFrom(...words.split(separator))

/** Cuts, repeats or breaks some texts. */
function damaged(made: fc.Arbitrary<string>, share: number, breaks: string): fc.Arbitrary<string> {
  const broken = fc.tuple(made, fc.nat(1000), from(breaks), fc.integer({ min: 2, max: 40 }))
  const damage = broken.chain(([whole, at, piece, times]) => {
    const place = at % (whole.length + 1)
    const [before, after] = [whole.slice(0, place), whole.slice(place)]
    return fc.constantFrom(
      before,
      before + piece + after,
      before + piece + after.slice(1),
      whole.repeat(times),
    )
  })
  return weighted([100 - share, made], [share, damage])
}

/** Expressions that are valid for any data. */
export const safeExpression = from(
  '{{ data | stringify }};{{ data | stringify | reveal_last: 4 }};plain text;{% if data %}yes{% endif %};{{ data | stringify | size }}',
  ';',
)

const path = from('data data.number data.a data[0] data["b"] data.first data.size metadata.k')
const quoted = anyText.map(made => (made.includes("'") ? `"${made.replaceAll('"', '')}"` : `'${made}'`))
const range = fc.oneof(
  from('data data.a (1..3) (1..data) (3..1)'),
  text`(0..${fc.integer({ min: -9, max: 20_000 })})`,
)
const operand = weighted(
  [5, path],
  [2, fc.integer({ min: -5, max: 20 }).map(String)],
  [1, fc.constantFrom(...awkwardNumbers)],
  [3, quoted],
  [1, from('true false nil empty blank forloop.index x i')],
  [1, range],
)
const jsonPath = from("$ $.a $..a $[0] $[*] $..* $['a'] $[-1] $.a.b[?(@.c)] $..[0:2] a")
const filter = weighted([19, fc.constantFrom(...allFilters.keys())], [1, anyText])
const argument = weighted([5, operand], [1, text`mask=${operand}`], [1, text`"${jsonPath}"`])
const filterCall = fc
  .tuple(filter, fc.array(argument, { maxLength: 3 }))
  .map(([name, given]) => ` | ${name}${given.length > 0 ? `: ${given.join(', ')}` : ''}`)
const filtered = text`${operand}${fc.array(filterCall, { maxLength: 3 }).map(calls => calls.join(''))}`
const output = text`{{${from(',-', ',')} ${filtered} ${from(',-', ',')}}}`
const flat = from("data data.a metadata.k 1 'a' nil true")
const condition = text`${flat} ${from('== != < > <= >= contains and or')} ${flat}`

/** Templates of the language of expressions. */
export const template = fc.letrec<{ part: string; template: string }>(tie => ({
  template: damaged(
    fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map(parts => parts.join(' ')),
    15,
    '{{ }} {% %} \' " | ( [',
  ),
  part: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    output,
    text`{% if ${condition} %}${tie('template')}{% elsif ${condition} %}${tie('template')}{% else %}x{% endif %}`,
    text`{% unless ${condition} %}${tie('template')}{% endunless %}`,
    text`{% for i in ${range} ${from(',reversed,limit:2,offset:1,limit:data', ',')} %}${tie('template')}{% endfor %}`,
    text`{% case ${operand} %}{% when ${operand}, ${operand} %}${tie('template')}{% else %}x{% endcase %}`,
    text`{% assign x = ${filtered} %}{% capture y %}${tie('template')}{% endcapture %}{{ x }}{{ y | size }}`,
    text`{% ${from('raw comment liquid')} %}${tie('template')}{% ${from('endraw endcomment echo')} %}`,
    text`{% ${from('include render layout block break continue # nonsense')} ${operand} %}`,
    anyText,
  ),
})).template

/** A valid expiry, decades ahead. */
export const futureDate = fc
  .tuple(
    fc.integer({ min: 2090, max: 9998 }),
    fc.integer({ min: 10, max: 12 }),
    fc.integer({ min: 10, max: 28 }),
  )
  .chain(([year, month, day]) => {
    const [iso, american] = [`${year}-${month}-${day}`, `${month}/${day}/${year}`]
    return fc.oneof(
      fc.constantFrom(iso, american, `${iso}T23:30:15Z`, `${iso}T09:30:00`),
      text`${fc.constant(iso)}T04:30:15.${fc.nat(999_999)}+0${fc.nat(9)}:30`,
      text`${fc.constant(american)} ${fc.integer({ min: 1, max: 12 })}:05:09 ${from('AM PM')}`,
    )
  })

/** Texts like dates: with impossible days, years before 1, leap seconds or odd offsets. */
export const date = weighted(
  [3, damaged(futureDate, 30, '0 - / : . Z + T')],
  [2, from('2031-02-29 0000-01-01 10000-01-01 -271821-04-20 13/01/2031 2031-W01-1 2031-01-01T24:00:00Z')],
  [1, text`2031-12-31T23:59:60.${repeated('9', 1, 9, 40)}+24:00`],
  [1, fc.maxSafeNat().map(String)],
)

export const validContainer = fc.oneof(
  from('/ /pci/ /pci/high/ /PCI/High/ /general/high/ /restricted/ /restricted/deep/'),
  fc.array(word, { minLength: 1, maxLength: 4 }).map(names => `/${names.join('/')}/`),
)
export const container = weighted(
  [6, validContainer],
  [1, from(',//,pci,/pci,pci/,/../,/./,/a//b/,/a b/,/é/,/a/*,/*,\\a\\', ',')],
  [1, text`/${anyText}/`],
  [1, text`/${repeated('a/', 15, 16, 17, 60, 124, 125, 126, 500)}`],
  [1, text`/${repeated('a', 247, 248, 249, 250, 2000)}/`],
)

export const id = weighted(
  [3, word],
  [2, repeated('x', 2, 3, 199, 200, 201, 399, 400, 401)],
  [1, repeated('🙂', 1, 2, 100, 200, 201)],
  [2, anyText],
  [
    3,
    text`{{ data | stringify | ${from('alias_preserve_length,alias_preserve_format: 2, 2,alias_card,upcase', ',')} }}`,
  ],
  [2, template],
  [1, text`${word}${fc.constantFrom(...'#/\\+?[]|&=%<>{}^ \u0000\u0085\t')}${word}`],
  [1, fc.string({ unit: fc.constantFrom(...'{}% '), maxLength: 400 })],
  [1, fc.uuid()],
)

export const validQuery = fc.oneof(
  from('type:card OR type:bank;container:"/general/*" AND created_at:[2020-01-01 TO *];', ';'),
  text`metadata.k:${word}`,
  text`(type:token AND NOT data:"${word}")`,
  text`data:${word} OR id:${word}`,
)
/** Search queries, with parts that only Lucene has. `search.property.test.ts` has the grammar of valid ones. */
export const query = fc
  .array(fc.oneof(validQuery, text`${word}:"${anyText}"`, text`created_at:[${date} TO *}`), { maxLength: 4 })
  .chain(parts => damaged(fc.constant(parts.join(' AND NOT ')), 40, '( ) " : [ } \\ * ~2 ^3 ! \u0000'))
