import t from 'tap'
import { nextTurn } from './event-loop.ts'
import { Semaphore } from './semaphore.ts'

t.test('so many tasks run at once, and tenants that wait take turns', async t => {
  const semaphore = new Semaphore(2)
  const began: string[] = []
  const ends: (() => void)[] = []
  const task = (tenant: string, name: string) =>
    semaphore.run({ tenant }, () => {
      began.push(name)
      return new Promise<void>(resolve => ends.push(resolve))
    })
  const all = [task('a', 'a1'), task('a', 'a2'), task('a', 'a3'), task('a', 'a4'), task('b', 'b1')]
  t.same(began, ['a1', 'a2'])
  for (const _ of all) {
    ends.shift()?.()
    await nextTurn()
  }
  await Promise.all(all)
  t.same(began, ['a1', 'a2', 'a3', 'b1', 'a4'])
})

t.test('a task that fails gives its slot back', async t => {
  const semaphore = new Semaphore(1)
  for (const _ of [1, 2])
    await t.rejects(
      semaphore.run({ tenant: 'a' }, async () => Promise.reject(new Error('no'))),
      { message: 'no' },
    )
})
