import t from 'tap'
import { judge } from './flatness.ts'

const run = (valueAt: (minute: number) => number) =>
  Array.from({ length: 60 }, (_, minute) => valueAt(minute))

t.test('what stays the same is flat, and what grows is not', async t => {
  const samples: readonly [name: string, isFlat: boolean, values: readonly number[]][] = [
    ['a constant', true, run(() => 100)],
    ['growth in the first half', true, run(minute => Math.min(minute, 30))],
    ['growth that goes on', false, run(minute => Math.min(minute, 60))],
    ['a saw', true, run(minute => 100 + 50 * (minute % 5))],
    ['a saw that rises', false, run(minute => 100 + 50 * (minute % 5) + 3 * minute)],
    ['one sample that is much higher', true, run(minute => (minute === 55 ? 1000 : 100))],
    ['a little more than is allowed', false, run(minute => (minute < 45 ? 100 : 106))],
    ['no more than is allowed', true, run(minute => (minute < 45 ? 100 : 105))],
    ['less', true, run(minute => (minute < 45 ? 100 : 50))],
  ]
  for (const [name, isFlat, values] of samples) t.equal(judge('memory', values, 0.05).isFlat, isFlat, name)
})

t.test('too few samples are not judged', async t => {
  t.throws(() => judge('memory', Array(7).fill(1), 0.05), /7 samples cannot be judged/)
  t.equal(judge('memory', Array(8).fill(1), 0.05).isFlat, true)
})
