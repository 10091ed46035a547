import t from 'tap'
import { ServiceError } from '../base/errors.ts'
import { parseQuery } from './parse.ts'
import { brokenQueries } from './refusals.cases.ts'

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

t.test('a query that is not one is refused, with the position and without a value', async t => {
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
