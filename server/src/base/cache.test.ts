import t from 'tap'
import { ClearingCache } from './cache.ts'

t.test('a value is made once, until the memo is full and forgets all', async t => {
  const memo = new ClearingCache<string, string>(2)
  const made: string[] = []
  const make = (key: string) => {
    made.push(key)
    return `value of ${key}`
  }
  for (const key of ['a', 'b', 'a', 'b']) t.equal(memo.of(key, make), `value of ${key}`)
  t.same(made, ['a', 'b'])
  t.equal(memo.get('a'), 'value of a')
  memo.of('c', make)
  t.equal(memo.get('a'), undefined)
  t.equal(memo.get('c'), 'value of c')
})

t.test('replacing a value that is there forgets none', async t => {
  const memo = new ClearingCache<string, number>(2)
  memo.set('a', 1)
  memo.set('b', 2)
  memo.set('b', 3)
  t.equal(memo.get('a'), 1)
  t.equal(memo.get('b'), 3)
})
