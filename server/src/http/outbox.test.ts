import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Outbox } from './outbox.ts'

t.test('answers of one turn leave together at its end, in their order', async t => {
  const sent: string[] = []
  const outbox = new Outbox()
  outbox.add(() => sent.push('a'))
  await Promise.resolve()
  outbox.add(() => sent.push('b'))
  t.same(sent, [])
  await turn()
  t.same(sent, ['a', 'b'])
})

t.test('an answer that comes while others leave goes with the next', async t => {
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
