import t from 'tap'
import { nextTurn, oncePerTurn, Turns } from './event-loop.ts'

/** A clock that only moves by `work`. */
function loop() {
  let nowMs = 100
  const turns = new Turns(() => nowMs)
  const order: string[] = []
  const after = async (passing: undefined | Promise<void>, name: string, ms: number) => {
    if (passing) await passing
    order.push(name)
    nowMs += ms
  }
  /** Asks for a turn, then works. */
  const work = (name: string, ms: number, kind?: string) => after(turns.passed(name[0], kind), name, ms)
  const part = (name: string, ms: number) => after(turns.passedPart(name.charAt(0)), name, ms)
  return { turns, work, part, order }
}

t.test('work goes ahead while the iteration is short, and then waits for a later one', async t => {
  const { work, order } = loop()
  const all = [work('a1', 3), work('a2', 3), work('a3', 3), work('a4', 1)]
  t.same(order, ['a1', 'a2'])
  await Promise.all(all)
  t.same(order, ['a1', 'a2', 'a3', 'a4'])
  const { turns } = loop()
  t.equal(turns.passed(), undefined, 'who is alone does not wait')
})

t.test('what waits goes ahead one by one where each is long, with others in between', async t => {
  const { work, order } = loop()
  const note = () => order.push('-')
  const all = [work('a1', 10), work('a2', 10), work('a3', 10)]
  setImmediate(() => {
    note()
    setImmediate(() => {
      note()
      setImmediate(note)
    })
  })
  await Promise.all(all)
  t.same(order, ['a1', 'a2', '-', 'a3'])
})

t.test('tenants take turns, however much work of one waits', async t => {
  const { work, order } = loop()
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
  await Promise.all(names.map(name => work(name, 10)))
  t.same(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

t.test('the works of a tenant take turns, and it has no more of them than another tenant', async t => {
  const { work, order } = loop()
  const all = ['a1', 'a2', 'a3', 'a4'].map(name => work(name, 10, 'search'))
  all.push(
    work('a5', 10, 'get'),
    work('a6', 10, 'get'),
    work('a7', 10),
    work('b1', 10, 'get'),
    work('b2', 10, 'get'),
  )
  await Promise.all(all)
  t.same(order, ['a1', 'a2', 'b1', 'a5', 'b2', 'a7', 'a3', 'a6', 'a4'])
})

t.test('work that begins while other work waits does not overtake that of another tenant', async t => {
  const { work, order } = loop()
  const all = [work('a1', 10), work('a2', 1)]
  await new Promise(resolve => setImmediate(resolve))
  await Promise.all([...all, work('b1', 1)])
  t.same(order, ['a1', 'a2', 'b1'])
})

t.test('parts of long work have the rest of an iteration, though other work waits', async t => {
  const { work, part, order } = loop()
  const parts = async () => {
    for (const name of ['b1', 'b2', 'b3', 'b4']) await part(name, 2)
  }
  await Promise.all([work('a1', 10), parts(), work('a2', 4), work('a3', 4)])
  t.same(order, ['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'a3'])
})

t.test('a task that is requested often in a turn runs once at its end, and again in the next', async t => {
  let done = 0
  const ask = oncePerTurn(() => done++)
  ask()
  ask()
  t.equal(done, 0)
  await nextTurn()
  t.equal(done, 1)
  ask()
  await nextTurn()
  t.equal(done, 2)
})
