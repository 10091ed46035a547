import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'

const send = (c: Context) => (query: string) => c.asPrivate('POST', '/tokens/search', { query })
const day = 24 * 60 * 60_000

/** Decisions about queries where the specification is open. */
export const surrogateSearchCases = cases({
  'SEA-501.a: NOT binds before AND, and AND before OR, with OR on either side': async c => {
    const make = async (a: string, b: string) => (await c.token({ metadata: { a, b } })).id as string
    const [one, two, three, four] = [
      await make('1', '1'),
      await make('1', '2'),
      await make('2', '1'),
      await make('2', '2'),
    ]
    const sorted = (...ids: string[]) => ids.sort()
    c.equal(
      await c.found('metadata.a:1 OR metadata.a:2 AND metadata.b:2'),
      sorted(one, two, four),
      'AND on the right',
    )
    c.equal(
      await c.found('metadata.b:2 AND metadata.a:2 OR metadata.a:1'),
      sorted(one, two, four),
      'AND on the left',
    )
    c.equal(await c.found('NOT metadata.a:1 AND metadata.b:1'), [three], 'NOT before AND')
    c.equal(await c.found('NOT metadata.a:1 OR metadata.b:1'), sorted(one, three, four), 'NOT before OR')
  },
  'SEA-502.a: a query of 2,001 characters, or 101 parentheses deep, is refused': async c => {
    await c.refuses(400, send(c), `id:${'x'.repeat(1997)}`, {
      '2,001 characters': `id:${'x'.repeat(1998)}`,
    })
    const deep = (n: number) => `${'('.repeat(n)}id:abc${')'.repeat(n)}`
    await c.refuses(400, send(c), deep(100), { '101 deep': deep(101) })
  },
  'SEA-503.a: unknown syntax is refused, with its position': async c => {
    await c.refuses(400, send(c), 'type:token AND id:abc', {
      juxtaposition: 'type:token id:abc',
      'a prefix +': '+type:token',
      '&&': 'type:token && id:abc',
      '||': 'type:token || id:abc',
      'a group behind a field': 'type:(token card)',
      'an unknown field': 'name:abc',
      'a ~': 'id:abc~2',
      'a ^': 'id:abc^2',
      'a regular expression': 'id:/abc/',
    })
    const { body } = await send(c)('type:token id:abc')
    c.ok(
      /position|at \d/.test(JSON.stringify(body?.errors?.query ?? '')),
      'errors.query says where',
      JSON.stringify(body?.errors?.query ?? ''),
    )
  },
  'SEA-504.a: a date without a time means that whole day': async c => {
    const { id, created_at } = await c.token()
    const today = created_at.slice(0, 10)
    const date = (days: number) =>
      new Date(Date.parse(`${today}T00:00:00Z`) + days * day).toISOString().slice(0, 10)
    c.equal(await c.found(`created_at:${today}`), [id], 'alone')
    c.equal(await c.found(`created_at:[${today} TO ${today}]`), [id], 'as bounds that are taken in')
    c.equal(await c.found(`created_at:{${date(-1)} TO ${date(1)}}`), [id], 'between the days around it')
    c.equal(await c.found(`created_at:{${today} TO ${date(1)}}`), [], 'as a bound that is left out')
    c.equal(await c.found(`created_at:${date(-1)}`), [], 'the day before')
  },
  'SEA-505.a: a bracket includes its end and a brace on the other side excludes its own': async c => {
    const [one, two] = [await c.token(), await c.token()]
    c.equal(await c.found(`created_at:[${one.created_at} TO ${two.created_at}}`), [one.id], '[ }')
    c.equal(await c.found(`created_at:{${one.created_at} TO ${two.created_at}]`), [two.id], '{ ]')
  },
  'SEA-506.a: operators, parentheses and escaped quotes in double quotes are literal': async c => {
    for (const name of ['a AND (b)', 'say "hi"', 'back\\slash', 'star*']) {
      const { id } = await c.token({ metadata: { name } })
      const quoted = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
      c.equal(await c.found(`metadata.name:"${quoted}"`), [id], name)
    }
  },
})
