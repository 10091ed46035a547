import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Outbox } from './outbox.ts'

/** An outbox at a time that only moves by `pass`, after a first response. */
function outboxOf(sent: string[]) {
  let nowMs = 0
  const outbox = new Outbox(() => nowMs)
  outbox.add(() => sent.push('first'))
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { outbox, pass }
}

t.test(
  'responses of one turn that follow each other closely are sent together at its end, in order',
  async t => {
    const sent: string[] = []
    const { outbox, pass } = outboxOf(sent)
    t.same(sent, ['first'], 'nothing came before it')
    outbox.add(() => sent.push('a'))
    await Promise.resolve()
    pass(1)
    outbox.add(() => sent.push('b'))
    t.same(sent, ['first'])
    await turn()
    t.same(sent, ['first', 'a', 'b'])
  },
)

t.test('a response some time after the one before is sent at once, behind those that wait', async t => {
  const sent: string[] = []
  const { outbox, pass } = outboxOf(sent)
  outbox.add(() => sent.push('a'))
  pass(1.1)
  outbox.add(() => sent.push('b'))
  t.same(sent, ['first', 'a', 'b'])
  outbox.add(() => sent.push('c'))
  t.same(sent, ['first', 'a', 'b'])
  await turn()
  t.same(sent, ['first', 'a', 'b', 'c'])
})

t.test('a response that is added while others are sent goes with the next turn', async t => {
  const sent: string[] = []
  const { outbox } = outboxOf(sent)
  outbox.add(() => {
    sent.push('a')
    outbox.add(() => sent.push('b'))
  })
  await turn()
  t.same(sent, ['first', 'a'])
  await turn()
  t.same(sent, ['first', 'a', 'b'])
})
