import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Outbox } from './outbox.ts'

t.test('responses of one turn are sent together at its end, in order', async t => {
  const sent: string[] = []
  const outbox = new Outbox()
  outbox.add(() => sent.push('a'))
  await Promise.resolve()
  outbox.add(() => sent.push('b'))
  t.same(sent, [])
  await turn()
  t.same(sent, ['a', 'b'])
})

t.test('a response that is added while others are sent goes with the next turn', async t => {
  const sent: string[] = []
  const outbox = new Outbox()
  outbox.add(() => {
    sent.push('a')
    outbox.add(() => sent.push('b'))
  })
  await turn()
  t.same(sent, ['a'])
  await turn()
  t.same(sent, ['a', 'b'])
})
