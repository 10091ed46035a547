import t from 'tap'
import { testRule } from '../../verify/support/test-rule.ts'
import { ServiceError } from '../base/errors.ts'
import { parseQuery } from './parse.ts'

/** A query that is refused, the position the refusal names, and a part of what it says. */
type BrokenQuery = readonly [query: string, position: number, says: string]

const brokenQueries: readonly BrokenQuery[] = [
  // No term.
  ['card', 1, 'field:value'],
  ['"card"', 1, 'needs its field'],
  ['4242424242424242', 1, 'field:value'],
  [':card', 1, 'unexpected ":"'],
  ['type : card', 1, 'field:value'],
  ['*', 1, 'unexpected "*"'],
  ['*:*', 1, 'unexpected "*"'],
  ['?ype:card', 1, 'unexpected "?"'],
  ['ty*e:card', 1, 'field:value'],
  ['ty\\pe:card', 1, 'field:value'],
  ['/card/', 1, 'regular expressions'],
  ['[1 TO 2]', 1, 'range needs its field'],
  ['{1 TO 2}', 1, 'range needs its field'],
  [']', 1, 'unexpected "]"'],
  ['}', 1, 'unexpected "}"'],
  ['~', 1, 'unexpected "~"'],
  ['^2', 1, 'unexpected "^"'],
  ['type', 1, 'field:value'],
  ['  type', 3, 'field:value'],
  // Fields there are not.
  ['foo:bar', 1, 'no such field'],
  ['Type:card', 1, 'no such field'],
  ['TYPE:card', 1, 'no such field'],
  ['containers:"/a/"', 1, 'no such field'],
  ['mask:x', 1, 'no such field'],
  ['expires_at:2030-01-01', 1, 'no such field'],
  ['tenant_id:x', 1, 'no such field'],
  ['metadata:x', 1, 'no such field'],
  ['Metadata.k:x', 1, 'no such field'],
  ['_exists_:data', 1, 'no such field'],
  ['type:card AND AND:x', 15, 'no such field'],
  ['__proto__:x', 1, 'no such field'],
  ['constructor:x', 1, 'no such field'],
  ['metadata.:x', 10, 'a key must follow'],
  ['metadata."my key":x', 1, 'field:value'],
  // Values there are not.
  ['type:', 6, 'must follow the colon'],
  ['type: card', 6, 'must follow the colon'],
  ['(type:)', 7, 'must follow the colon'],
  ['type:"card', 6, 'not closed'],
  ['type:"card\\"', 6, 'not closed'],
  ['type:"', 6, 'not closed'],
  ['type:(card OR bank)', 6, 'groups of values'],
  ['type:card*', 10, 'unexpected "*"'],
  ['type:*', 6, 'unexpected "*"'],
  ['type:c?rd', 7, 'unexpected "?"'],
  ['type:card~', 10, 'unexpected "~"'],
  ['type:card~0.8', 10, 'unexpected "~"'],
  ['type:card^2', 10, 'unexpected "^"'],
  ['type:"card"^2', 12, 'unexpected "^"'],
  ['type:"card"~2', 12, 'unexpected "~"'],
  ['type:"card"x', 12, 'unexpected "x"'],
  ['type:"card""bank"', 12, 'unexpected """'],
  ['type:ca"rd', 8, 'unexpected """'],
  ['type:card"', 10, 'unexpected """'],
  ['data:a\\ b', 7, 'unexpected "\\"'],
  ['data:a[b', 7, 'unexpected "["'],
  ['data:a}b', 7, 'unexpected "}"'],
  ['data:/4[0-9]+/', 8, 'unexpected "["'],
  ['data:/4242/', 6, 'regular expressions'],
  ['metadata.k:/x/', 12, 'regular expressions'],
  ['data:ü AND data:💳*', 18, 'unexpected "*"'],
  // Containers.
  ['container:*', 11, 'only at the end of a container'],
  ['container:"*"', 11, 'only at the end of a container'],
  ['container:"/a/**"', 11, 'only at the end of a container'],
  ['container:"/a**"', 11, 'only at the end of a container'],
  ['container:/a*b', 11, 'only at the end of a container'],
  ['container:/a*/b/', 11, 'only at the end of a container'],
  ['container:/*/a/', 11, 'only at the end of a container'],
  ['container:"/a/*/"', 11, 'only at the end of a container'],
  ['container:a', 11, 'is a path'],
  ['container:a*', 11, 'is a path'],
  ['container:"//*"', 11, 'is a path'],
  [`container:/${'a/'.repeat(17)}`, 11, 'at most 250 characters and 16 levels'],
  [`container:"/${'a/'.repeat(17)}*"`, 11, 'at most 250 characters and 16 levels'],
  [`container:/${'a/'.repeat(16)}b`, 11, 'at most 250 characters and 16 levels'],
  [`container:/${'a'.repeat(249)}/`, 11, 'at most 250 characters and 16 levels'],
  [`container:/${'a'.repeat(249)}*`, 11, 'at most 250 characters and 16 levels'],
  ['container:"a/"', 11, 'is a path'],
  ['container:""', 11, 'is a path'],
  ['container:"//"', 11, 'is a path'],
  ['container:"/a b/"', 11, 'is a path'],
  ['container:[/a/ TO /b/]', 11, 'take a range'],
  // Times.
  ['created_at:yesterday', 12, 'not a date'],
  ['created_at:""', 12, 'not a date'],
  ['created_at:2026-02-30', 12, 'not a date'],
  ['created_at:2026-13-01', 12, 'not a date'],
  ['created_at:2026-1-1', 12, 'not a date'],
  ['created_at:2026', 12, 'not a date'],
  ['created_at:1769851800', 12, 'not a date'],
  ['created_at:2026-01-01T24:00:00Z', 12, 'not a date'],
  ['created_at:2026-01-01T00:00:60Z', 12, 'not a date'],
  ['created_at:2026-01-01T00Z', 12, 'not a date'],
  ['created_at:2026-01-01T00:00:00+01:00', 12, 'UTC date-time'],
  ['created_at:"2026-01-01 00:00:00"', 12, 'not a date'],
  ['created_at:>2026-01-01', 12, 'not a date'],
  ['modified_at:*', 13, 'unexpected "*"'],
  ['created_at:[2026-01-01]', 23, '[START TO END]'],
  ['created_at:[2026-01-01 2026-01-02]', 24, '[START TO END]'],
  ['created_at:[2026-01-01 to 2026-01-02]', 24, '[START TO END]'],
  ['created_at:[2026-01-01 TO2026-01-02]', 24, '[START TO END]'],
  ['created_at:[2026-01-01 TO 2026-01-02', 37, 'ends with'],
  ['created_at:[2026-01-01 TO 2026-01-02)', 37, 'ends with'],
  ['created_at:[2026-01-01 TO ]', 27, 'both sides'],
  ['created_at:[TO 2026-01-02]', 16, '[START TO END]'],
  ['created_at:[]', 13, 'both sides'],
  ['created_at:[', 13, 'both sides'],
  ['created_at:[* TO soon]', 18, 'not a date'],
  ['created_at:[* TO *', 19, 'ends with'],
  ['created_at:[* TO *]x', 20, 'unexpected "x"'],
  ['type:[a TO b]', 6, 'take a range'],
  ['data:{1 TO 2}', 6, 'take a range'],
  // Operators.
  ['AND', 1, 'before this operator'],
  ['NOT', 4, 'missing at the end'],
  ['!', 2, 'missing at the end'],
  ['-', 2, 'missing at the end'],
  ['AND type:card', 1, 'before this operator'],
  ['OR type:card', 1, 'before this operator'],
  ['type:card AND', 14, 'missing at the end'],
  ['type:card OR ', 14, 'missing at the end'],
  ['type:card NOT', 14, 'missing at the end'],
  ['type:card AND OR type:bank', 15, 'before this operator'],
  ['type:card AND AND type:bank', 15, 'before this operator'],
  ['type:card NOT AND type:bank', 15, 'before this operator'],
  ['type:card type:bank', 11, 'between two terms'],
  ['type:card (type:bank)', 11, 'between two terms'],
  ['type:card(type:bank)', 10, 'between two terms'],
  ['(type:card)(type:bank)', 12, 'between two terms'],
  ['(type:card) type:bank', 13, 'between two terms'],
  ['type:card and type:bank', 11, 'upper case'],
  ['type:card Or type:bank', 11, 'upper case'],
  ['not type:card', 1, 'upper case'],
  ['type:card && type:bank', 11, 'write AND'],
  ['type:card || type:bank', 11, 'write OR'],
  ['type:card & type:bank', 11, 'write AND'],
  ['+type:card', 1, 'prefix "+"'],
  ['type:card +type:bank', 11, 'prefix "+"'],
  // Parentheses.
  ['(', 2, 'missing at the end'],
  [')', 1, 'no parenthesis is open'],
  ['()', 2, 'before this parenthesis'],
  ['type:card AND ()', 16, 'before this parenthesis'],
  ['(type:card', 1, 'not closed'],
  ['((type:card)', 1, 'not closed'],
  ['type:card)', 10, 'no parenthesis is open'],
  ['(type:card))', 12, 'no parenthesis is open'],
  ['(type:card AND) OR type:bank', 15, 'before this parenthesis'],
  [`${'('.repeat(900)}type:card${')'.repeat(900)}`, 101, 'nested 100 deep'],
  [`${'!('.repeat(101)}type:card${')'.repeat(101)}`, 202, 'nested 100 deep'],
]

/** The deepest container there may be, and the longest. */
const deepest = `/${'a/'.repeat(16)}`
const longest = `/${'a'.repeat(248)}/`

/** The query again, with all parentheses and no choices of spelling. */
function shown(text: string): string {
  const show = (query: ReturnType<typeof parseQuery>): string => {
    switch (query.kind) {
      case 'everything':
        return 'everything'
      case 'text':
        return `${query.field}:${query.value}`
      case 'metadata':
        return `metadata.${query.key}:${query.value}`
      case 'container':
        return `container:${query.area.path}${query.area.below ? '*' : ''}`
      case 'time':
        return `${query.field}:${query.fromUs ?? '*'}..${query.toUs ?? '*'}`
      case 'not':
        return `!${show(query.of)}`
      case 'and':
      case 'or':
        return `(${query.of.map(show).join(query.kind === 'and' ? ' & ' : ' | ')})`
    }
  }
  return show(parseQuery(text))
}

t.test('operators bind by their rank, whatever the order they come in', async t => {
  const meanings: readonly (readonly [query: string, meaning: string])[] = [
    ['', 'everything'],
    [' \t\r\n ', 'everything'],
    ['id:a', 'id:a'],
    ['  id:a  ', 'id:a'],
    ['id:a AND id:b', '(id:a & id:b)'],
    ['id:a AND id:b AND id:c', '(id:a & id:b & id:c)'],
    ['id:a AND id:b OR id:c', '((id:a & id:b) | id:c)'],
    ['id:a OR id:b AND id:c', '(id:a | (id:b & id:c))'],
    ['id:a OR id:b AND id:c OR id:d', '(id:a | (id:b & id:c) | id:d)'],
    ['(id:a OR id:b) AND id:c', '((id:a | id:b) & id:c)'],
    ['id:a AND (id:b OR id:c) AND id:d OR id:e', '((id:a & (id:b | id:c) & id:d) | id:e)'],
    ['NOT id:a', '!id:a'],
    ['!id:a', '!id:a'],
    ['-id:a', '!id:a'],
    ['! id:a', '!id:a'],
    ['NOT NOT id:a', 'id:a'],
    ['!-NOT id:a', '!id:a'],
    ['NOT id:a AND id:b', '(!id:a & id:b)'],
    ['NOT id:a OR id:b', '(!id:a | id:b)'],
    ['NOT (id:a OR id:b)', '!(id:a | id:b)'],
    ['-(id:a -(id:b))', '!(id:a & !id:b)'],
    ['id:a AND NOT id:b OR NOT id:c', '((id:a & !id:b) | !id:c)'],
    ['id:a AND NOT NOT id:b', '(id:a & id:b)'],
    ['id:a NOT id:b', '(id:a & !id:b)'],
    ['id:a !id:b OR id:c', '((id:a & !id:b) | id:c)'],
    ['id:a OR id:b -id:c', '(id:a | (id:b & !id:c))'],
    ['id:a NOT NOT id:b', '(id:a & id:b)'],
    ['((id:a))', 'id:a'],
    ['( id:a )', 'id:a'],
    ['id:a AND(id:b)OR(id:c)', '((id:a & id:b) | id:c)'],
    ['id:a\nAND\tid:b', '(id:a & id:b)'],
  ]
  for (const [query, meaning] of meanings) t.equal(shown(query), meaning, query)
})

t.test('values are taken as they stand', async t => {
  const values: readonly (readonly [query: string, meaning: string])[] = [
    ['data:123-45-6789', 'data:123-45-6789'],
    ['data:a+b!c:d/e@f', 'data:a+b!c:d/e@f'],
    ['data:-1', 'data:-1'],
    ['data:AND', 'data:AND'],
    ['data:"a b"', 'data:a b'],
    ['data:" AND (x"', 'data: AND (x'],
    ['data:"a*?~^[]{}"', 'data:a*?~^[]{}'],
    ['data:"say \\"so\\\\\\" \\n"', 'data:say "so\\" \\n'],
    ['data:""', 'data:'],
    ['data:"/x/"', 'data:/x/'],
    ['data:/x', 'data:/x'],
    ['metadata.k:v', 'metadata.k:v'],
    ['metadata.a.b:v', 'metadata.a.b:v'],
    ['metadata.a-b:v:w', 'metadata.a-b:v:w'],
    ['container:/a/', 'container:/a/'],
    ['container:/a', 'container:/a/'],
    ['container:"/a/b/*"', 'container:/a/b/*'],
    ['container:/a/*', 'container:/a/*'],
    ['container:/a*', 'container:/a/*'],
    ['container:"/A/b*"', 'container:/a/b/*'],
    [`container:"${deepest}"`, `container:${deepest}`],
    [`container:"${deepest.slice(0, -1)}"`, `container:${deepest}`],
    [`container:${deepest}*`, `container:${deepest}*`],
    [`container:${longest}`, `container:${longest}`],
    [`container:"${longest.slice(0, -1)}*"`, `container:${longest}*`],
    ['container:/', 'container:/'],
    ['container:"/*"', 'container:/*'],
    ['created_at:1970-01-02', 'created_at:86400000000..172799999999'],
    ['created_at:1970-01-01T00:00:01.000002Z', 'created_at:1000002..1000002'],
    ['modified_at:[* TO *]', 'modified_at:*..*'],
    ['created_at:[1970-01-02 TO 1970-01-03]', 'created_at:86400000000..259199999999'],
    ['created_at:{1970-01-02 TO 1970-01-04}', 'created_at:172800000000..259199999999'],
    ['created_at:[1970-01-02 TO 1970-01-04}', 'created_at:86400000000..259199999999'],
    ['created_at:{1970-01-02 TO *]', 'created_at:172800000000..*'],
    ['created_at:{ * TO "1970-01-01T00:00:01" }', 'created_at:*..999999'],
    ['created_at:[1970-01-01T00:00:01Z TO 1970-01-01T00:00:01Z]', 'created_at:1000000..1000000'],
  ]
  for (const [query, meaning] of values) t.equal(shown(query), meaning, query)
})

testRule('a query that is not one is refused, with the position and without a value', async t => {
  t.ok(brokenQueries.length >= 100)
  for (const [query, position, says] of brokenQueries) {
    let error: unknown
    try {
      parseQuery(query)
    } catch (thrown) {
      error = thrown
    }
    if (!(error instanceof ServiceError)) throw new Error(`${query} is not refused: ${error}`)
    t.equal(error.code, 'invalid_query', query)
    const [message = '', ...others] = error.errors?.query ?? []
    t.same(others, [])
    t.equal(/\(at position (\d+)\)$/.exec(message)?.[1], String(position), `${query}: ${message}`)
    t.ok(message.includes(says), `${query}: ${message}`)
    for (const value of ['yesterday', 'soon', '4242', 'bank', 'bar']) t.notOk(message.includes(value))
  }
})

t.test('the bounds are reached before anything gives way', async t => {
  const nested = (depth: number) => `${'('.repeat(depth)}id:a${')'.repeat(depth)}`
  t.equal(shown(nested(100)), 'id:a')
  t.throws(() => parseQuery(nested(101)), { code: 'invalid_query' })
  t.equal(shown(`${'!('.repeat(100)}id:a${')'.repeat(100)}`), `${'!'.repeat(100)}id:a`)
  t.equal(shown(`${'!'.repeat(1996)}id:a`), 'id:a')
  t.equal(shown(`${'-'.repeat(1995)} id:a`), '!id:a')
  const many = Array.from({ length: 250 }, (_, n) => `id:${n % 10}`)
  t.equal(shown(many.join(' OR ')), `(${many.join(' | ')})`)
  const deepRight = `${'(id:a AND '.repeat(100)}id:b${')'.repeat(100)}`
  t.equal(shown(deepRight), `${'(id:a & '.repeat(100)}id:b${')'.repeat(100)}`)
})
