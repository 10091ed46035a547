import { json, list, most, type Oversized } from './shape.ts'

const query = (text: string): string => json({ query: text })

const queries: readonly (readonly [string, (size: number) => string])[] = [
  ['parentheses', size => `${'('.repeat(size / 3)}type:card${')'.repeat(size / 3)}`],
  ['open parentheses', size => '('.repeat(size)],
  ['NOT', size => `${'NOT '.repeat(size / 5)}type:card`],
  ['minus signs', size => `${'-'.repeat(size - 10)}type:card`],
  ['OR', size => list(size / 16, index => `type:t${index}`).join(' OR ')],
  ['AND of NOT', size => list(size / 30, index => `NOT metadata.k${index}:v`).join(' AND ')],
  ['ranges', size => list(size / 60, () => 'created_at:{2020-01-01 TO 2030-01-31T10:00:00Z]').join(' OR ')],
  ['containers', size => list(size / 30, index => `container:"/c${index}/*"`).join(' OR ')],
  ['a deep container', size => `container:"/${'a/'.repeat(size / 2 - 20)}*"`],
  ['quotes', size => `data:"${'\\"'.repeat(size / 2 - 10)}"`],
  ['backslashes', size => `data:"${'\\'.repeat(size - 10)}`],
  ['spaces', size => `type:card${' '.repeat(size - 12)}AND`],
]

export const searches: readonly Oversized[] = queries.map(([what, make]) => ({
  title: `a query of ${what}`,
  operation: 'tokens.search',
  make: dice => ({ body: query(make(dice.pick([300, 1_999, 2_001, 100_000])).slice(0, most)) }),
}))
