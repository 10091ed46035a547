import t from 'tap'
import { nextTurn } from './event-loop.ts'
import { Semaphores } from './semaphore.ts'

/** A task that ends when it is told to. */
function task() {
  let end = () => {}
  let began = false
  const run = () => {
    began = true
    return new Promise<void>(resolve => (end = resolve))
  }
  return { run, end: () => end(), began: () => began }
}

t.test('so many tasks of a name run at once, the others in their order, and one more is refused', async t => {
  const semaphores = new Semaphores('tasks', { running: 2, waiting: 2 })
  const tasks = Array.from({ length: 4 }, task)
  const done = tasks.map(one => semaphores.run('a', one.run))
  await nextTurn()
  t.same(
    tasks.map(one => one.began()),
    [true, true, false, false],
  )
  await t.rejects(semaphores.run('a', task().run), { code: 'rate_limited' })
  const other = task()
  const others = semaphores.run('b', other.run)
  await nextTurn()
  t.ok(other.began(), 'another name has a semaphore of its own')
  tasks[1]?.end()
  await nextTurn()
  t.same(
    tasks.map(one => one.began()),
    [true, true, true, false],
  )
  for (const one of [...tasks, other]) {
    one.end()
    await nextTurn()
  }
  await Promise.all([...done, others])
})

t.test('a task that fails gives its place back', async t => {
  const semaphores = new Semaphores('tasks', { running: 1, waiting: 0 })
  for (const _ of [1, 2])
    await t.rejects(
      semaphores.run('a', async () => Promise.reject(new Error('no'))),
      { message: 'no' },
    )
})
