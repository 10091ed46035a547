import t from 'tap'
import { Semaphore } from './semaphore.ts'

t.test('runs tasks up to the limit, the rest in FIFO order, and a failed task makes room too', async t => {
  const semaphore = new Semaphore(2)
  const ends: ((fail: boolean) => void)[] = []
  const begun: number[] = []
  const work = (name: number) =>
    semaphore
      .run(() => {
        begun.push(name)
        return new Promise<void>((resolve, reject) => {
          ends[name] = fail => (fail ? reject(new Error('failed')) : resolve())
        })
      })
      .catch(() => {})
  const all = [0, 1, 2, 3, 4].map(work)
  t.same(begun, [0, 1])
  ends[1]?.(true)
  await all[1]
  t.same(begun, [0, 1, 2])
  ends[0]?.(false)
  ends[2]?.(false)
  await Promise.all([all[0], all[2]])
  t.same(begun, [0, 1, 2, 3, 4])
  for (const name of [3, 4]) ends[name]?.(false)
  await Promise.all(all)
  const more = [5, 6].map(work)
  t.same(begun.slice(5), [5, 6], 'all places are free again')
  for (const name of [5, 6]) ends[name]?.(false)
  await Promise.all(more)
})
