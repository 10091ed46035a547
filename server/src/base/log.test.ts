import t from 'tap'
import { createLog, describeError } from './log.ts'

t.test('each line of the log is one JSON object', async t => {
  const lines: string[] = []
  createLog(line => lines.push(line)).warn('something', { count: 2 })
  t.match(JSON.parse(lines[0] ?? ''), { level: 'warn', event: 'something', count: 2 })
  t.equal(lines[0]?.at(-1), '\n')
})

t.test('an error is described by its stack, never by its message', async t => {
  const described = JSON.stringify(describeError(new TypeError('cannot read 4242424242424242')))
  t.notMatch(described, /4242/)
  t.match(described, /TypeError/)
  t.match(described, /log\.test\.ts:\d+/)
  t.notMatch(described, /\/server\//, 'files by name, not by path')
})

t.test('the lines of a long message are not taken for stack frames', async t => {
  const lines = 'at 4242 (4242.ts:1)\n    at 4242424242424242 (/a/4242.js:12:3)\n'
  for (const message of [lines, `x\n${lines}`, 'at '.repeat(100_000), `${' '.repeat(100_000)}at`]) {
    const described = JSON.stringify(describeError(new Error(message)))
    t.notMatch(described, /4242/)
    t.match(described, /log\.test\.ts:\d+/)
  }
})
