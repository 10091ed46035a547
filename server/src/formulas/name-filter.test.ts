import fc from 'fast-check'
import t from 'tap'
import { nameFilter } from './name-filter.ts'

t.test('what matches, and what does not', async t => {
  const rows: [filter: string, name: string, matches: boolean][] = [
    ['card', 'My Card check', true],
    ['CARD', 'my card', true],
    ['card', 'car d', false],
    ['', 'anything', true],
    ['card*', 'Card check', true],
    ['card*', 'My card', false],
    ['*card', 'My card', true],
    ['*card', 'card check', false],
    ['*card*', 'My card check', true],
    ['c*k', 'card check', true],
    ['c*d', 'card check', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*b*', 'ba', false],
    ['*', '', true],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['a?', 'ab', false],
    ['(*)', '(x)', true],
    ['é*', 'École', true],
  ]
  for (const [filter, name, matches] of rows)
    t.equal(nameFilter(filter)(name), matches, `${filter} ~ ${name}`)
})

t.test('a filter with stars means what its regular expression does', async t => {
  const text = fc.array(fc.constantFrom('a', 'b', 'B', '*'), { maxLength: 8 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, text, (filter, given) => {
      const name = given.replaceAll('*', '')
      const pattern = filter.includes('*') ? `^${filter.replaceAll('*', '.*')}$` : filter
      t.equal(nameFilter(filter)(name), new RegExp(pattern, 'i').test(name), `${filter} ~ ${name}`)
    }),
  )
})

t.test('no filter takes long', async t => {
  const started = performance.now()
  const matches = nameFilter('a*'.repeat(8000))
  for (let count = 0; count < 200; count++) matches('a'.repeat(200))
  t.ok(performance.now() - started < 1000)
})
