import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

interface Marks {
  readonly a: boolean
  readonly b: boolean
  readonly c: boolean
}

/** All combinations of three marks. */
const combinations: readonly Marks[] = [0, 1, 2, 3, 4, 5, 6, 7].map(bits => ({
  a: (bits & 1) > 0,
  b: (bits & 2) > 0,
  c: (bits & 4) > 0,
}))

/** Queries over the marks, in which a letter stands for its term, and the tokens that they match. */
const queries: Readonly<Record<string, (marks: Marks) => boolean>> = {
  'a OR b AND c': ({ a, b, c }) => a || (b && c),
  'a AND b OR c': ({ a, b, c }) => (a && b) || c,
  '(a OR b) AND c': ({ a, b, c }) => (a || b) && c,
  'a AND (b OR c)': ({ a, b, c }) => a && (b || c),
  'a AND b AND c': ({ a, b, c }) => a && b && c,
  'a OR b OR c': ({ a, b, c }) => a || b || c,
  'NOT a': ({ a }) => !a,
  '!a': ({ a }) => !a,
  '-a': ({ a }) => !a,
  'NOT NOT a': ({ a }) => a,
  'NOT a AND b': ({ a, b }) => !a && b,
  'a AND NOT b OR c': ({ a, b, c }) => (a && !b) || c,
  'a OR NOT b AND NOT c': ({ a, b, c }) => a || (!b && !c),
  'NOT a OR b': ({ a, b }) => !a || b,
  'NOT (a OR b)': ({ a, b }) => !(a || b),
  '!(a OR b) AND c': ({ a, b, c }) => !(a || b) && c,
  '-(a AND b)': ({ a, b }) => !(a && b),
  'NOT (a AND NOT (b OR c))': ({ a, b, c }) => !(a && !(b || c)),
  '((a))': ({ a }) => a,
  '(NOT a) AND b': ({ a, b }) => !a && b,
  '(NOT a) OR (NOT b)': ({ a, b }) => !a || !b,
  '(a AND b) OR (b AND c) OR (a AND c)': ({ a, b, c }) => (a && b) || (b && c) || (a && c),
  'a AND b OR b AND c OR a AND c': ({ a, b, c }) => (a && b) || (b && c) || (a && c),
  '(a AND (b OR (NOT c)))': ({ a, b, c }) => a && (b || !c),
  'NOT (NOT a) AND NOT (NOT b)': ({ a, b }) => a && b,
  '!a AND -b AND NOT c': ({ a, b, c }) => !a && !b && !c,
  'a NOT b': ({ a, b }) => a && !b,
  'a OR b NOT c': ({ a, b, c }) => a || (b && !c),
}

const refused: readonly string[] = [
  'a b',
  'a AND',
  'AND a',
  'a AND AND b',
  'a AND OR b',
  'a OR',
  'NOT',
  'a NOT',
  '(a',
  'a)',
  '()',
  'a ()',
  '(a AND) b',
  'a (b)',
  '(a) b',
  '(a)(b)',
  'NOT AND a',
  'a and b',
  'a && b',
  'a || b',
  'a AND && b',
  '+a',
]
const refusedWhole: readonly string[] = [
  '(id:)',
  'id:x(y',
  'id:"x"y',
  'id:"x"-type:card',
  'id:x~',
  'id:x^2',
  'id:x?',
  'id:x*',
  'id:(x y)',
  'id:/x/',
  'id://',
  'id:',
  'id: ',
  ':x',
  'id:"x',
  'x',
  'nothing:x',
  'unknown_field:x',
  'metadata:x',
  'metadata.:x',
  'container:a/',
  'container:"a/"',
  'container:*',
  'container:""',
  'container:"/a*b/"',
  'container:"/a*/b/"',
  'container:"*/a/"',
  'container:"/a b/"',
  'type:[a TO b]',
  'id:{a TO b}',
  'created_at:yesterday',
  'created_at:2026-13-01',
  'created_at:2026-02-30',
  'created_at:2026-01-01T25:00:00Z',
  'created_at:2026-01-01T00:00:00+01:00',
  'created_at:[2026-01-01 TO',
  'created_at:[2026-01-01 2027-01-01]',
  'created_at:[2026-01-01 TO 2027-01-01',
  'created_at:[2026-01-01 to 2027-01-01]',
  'created_at:2026-01-01 TO 2027-01-01',
  'created_at:[TO 2027-01-01]',
  'created_at:[2026-01-01 TO2027-01-01]',
  'created_at:[2026-01-01 TOx2027-01-01]',
  'created_at:["2026-01-01"TO 2027-01-01]',
  'created_at:2026-01-01T00:00:00.1234567890Z',
  'modified_at:[2026-01-01 TO soon]',
]

const marked = (c: Context) =>
  c.shared('marked tokens', async s => {
    const made: { readonly id: string; readonly marks: Marks }[] = []
    // What others share has the tag, too.
    const run = `marks-${s.tag}`
    for (const marks of combinations) {
      const metadata = Object.fromEntries(
        Object.entries(marks).map(([name, is]) => [name, is ? 'yes' : 'no']),
      )
      made.push({ marks, id: (await s.token({ metadata: { ...metadata, run } })).id })
    }
    return { run, made }
  })

/** Spells the letters of a query as terms. */
const spelled = (query: string) => query.replaceAll(/\b[abc]\b/g, letter => `metadata.${letter}:yes`)

const queryCells = Object.entries(queries).map(
  ([query, matches], index): Row => [
    `SEA-501.query-${index + 1}: operators and parentheses: ${query}`,
    async c => {
      const { run, made } = await marked(c)
      const expected = made.filter(({ marks }) => matches(marks)).map(({ id }) => id)
      // Alone, and as a part of a larger query.
      for (const whole of [
        `metadata.run:${run} AND (${spelled(query)})`,
        `(${spelled(query)}) AND metadata.run:${run}`,
      ]) {
        const found = async () =>
          c
            .ids(
              c.success(await c.asPrivate('POST', '/tokens/search', { query: whole, size: 100 }), 200).body,
            )
            .sort()
        await c.settles(found, [...expected].sort(), whole)
      }
    },
  ],
)

const refusedCell = cases({
  'SEA-503.syntax: queries with missing or superfluous parts, and syntax that the specification does not name, are refused':
    async c => {
      for (const query of [...refused.map(spelled), ...refusedWhole])
        c.refused(await c.asPrivate('POST', '/tokens/search', { query }), 400, query)
    },
})

/** Moments and ranges around the creation of a token at T, which is on day D, and if they contain it. */
const spans: Readonly<Record<string, boolean>> = {
  D: true,
  '"D"': true,
  T: true,
  '"T"': true,
  BETWEEN: false,
  '[BETWEEN TO *]': false,
  '[* TO BETWEEN]': true,
  '["D" TO "AFTER"]': true,
  '{"BEFORE" TO "D"}': false,
  '[D TO D]': true,
  '{D TO D}': false,
  '[D TO D}': false,
  '{D TO D]': false,
  '[T TO T]': true,
  '{T TO T}': false,
  '[T TO T}': false,
  '{T TO T]': false,
  '[T TO *]': true,
  '{T TO *}': false,
  '[* TO T]': true,
  '{* TO T}': false,
  '[* TO *]': true,
  '[* TO D]': true,
  '[* TO D}': false,
  '[D TO *]': true,
  '{D TO *]': false,
  '{BEFORE TO AFTER}': true,
  '{BEFORE TO D}': false,
  '[BEFORE TO D]': true,
  '{D TO AFTER}': false,
  '[AFTER TO *]': false,
  '[* TO BEFORE]': false,
  '[LATER TO *]': false,
  '[* TO EARLIER]': false,
  '[EARLIER TO LATER]': true,
  '{EARLIER TO LATER}': true,
}

const spanCell = cases({
  'SEA-505.spans: days, moments and ranges with each kind of bracket contain a token exactly if its time lies within':
    async c => {
      const { id, created_at } = await c.token()
      const day = (offset: number) =>
        new Date(Date.parse(created_at) + offset * 86_400_000).toISOString().slice(0, 10)
      const moment = (offset: number) => new Date(Date.parse(created_at) + offset).toISOString()
      const words: Readonly<Record<string, string>> = {
        D: day(0),
        T: created_at,
        BEFORE: day(-1),
        AFTER: day(1),
        EARLIER: moment(-1000),
        LATER: moment(1000),
        // Nine digits: after the microsecond of the token, before the next.
        BETWEEN: created_at.replace('Z', '001Z'),
      }
      for (const [span, contains] of Object.entries(spans)) {
        const value = span.replaceAll(
          /\b(D|T|BEFORE|AFTER|EARLIER|LATER|BETWEEN)\b/g,
          word => words[word] ?? word,
        )
        const query = `created_at:${/^[[{"]/.test(value) ? value : `"${value}"`}`
        await c.finds(query, contains ? [id] : [], span)
      }
    },
})

/** Values of a metadata entry, and terms that find them. */
const literals: readonly (readonly [value: string, term: string])[] = [
  ['/a/b', '/a/b'],
  ['a/b/', 'a/b/'],
  ['/a/', '"/a/"'],
  ['/', '/'],
  ['a\\b', '"a\\b"'],
  ['a"b', '"a\\"b"'],
  ['+-!:@', '+-!:@'],
  ['(a)', '"(a)"'],
]

const literalCell = cases({
  'SEA-506.literals: characters in values are literal: some in double quotes only': async c => {
    const made: string[] = []
    for (const [value] of literals) made.push((await c.token({ metadata: { value } })).id)
    for (const [index, [, term]] of literals.entries()) {
      await c.finds(`metadata.value:${term}`, made.slice(index, index + 1), term)
      await c.finds(`(metadata.value:${term})`, made.slice(index, index + 1), `(${term})`)
    }
  },
})

/** Ids and keys of metadata in another case. */
const caseCell = cases({
  'SEA-541.names: ids and keys of metadata are found in another case': async c => {
    const id = `${c.tag}ABCd`
    await c.token({ id, metadata: { Key: 'Value' }, type: 'token' })
    for (const asked of [id, id.toLowerCase(), id.toUpperCase()]) await c.finds(`id:${asked}`, [id], asked)
    await c.finds(`container:"/*" AND id:${id}`, [id], 'in all containers')
    for (const key of ['Key', 'key', 'KEY']) {
      await c.finds(`metadata.${key}:value`, [id], key)
      const list = await c.asPrivate('GET', `/tokens?id=${id}&metadata.${key}=value`)
      c.equal(c.ids(c.success(list, 200).body), [id], `a list by ${key}`)
    }
    await c.finds('type:TOKEN', [id], 'the type')
    const lower = (await c.token({ id: `${c.tag}lower` })).id
    for (const asked of [lower, lower.toUpperCase()]) await c.finds(`id:${asked}`, [lower], asked)
  },
})

/** Queries of a search. */
export const queryCases = cases([...queryCells, ...refusedCell, ...spanCell, ...literalCell, ...caseCell])
