import t from 'tap'
import { describeError, type LogFields } from '../base/log.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import { OutageLog } from './outage-log.ts'

function open(t: { teardown(task: () => unknown): void }) {
  const lines: LogFields[] = []
  const at = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ level, event, ...fields })
  let [nowMs, reason] = [0, undefined as string | undefined]
  const store = { name: 'vault at db.example:5432', unhealthy: () => reason }
  const log = new OutageLog({ info: at('info'), warn: at('warn'), error: at('error') }, store, {
    nowMs: () => nowMs,
  })
  t.teardown(() => log.close())
  const cause = Object.assign(new Error('connect to 10.0.0.1 with a secret'), { code: 'ECONNREFUSED' })
  return {
    lines,
    log,
    fail: (why = 'the database does not answer') => {
      reason = why
      log.error(
        'request failed',
        describeError(new StoreUnavailable('the database cannot answer', { cause })),
      )
    },
    pass: (ms: number) => {
      nowMs += ms
      log.check()
    },
    recover: () => {
      reason = undefined
    },
  }
}

t.test('an outage is one line, one each minute, and one when it is over', async t => {
  const { lines, fail, pass, recover } = open(t)
  const outage = { level: 'error', event: 'store unavailable', store: 'vault at db.example:5432' }
  for (let second = 0; second < 125; second++) {
    fail()
    pass(1000)
  }
  t.match(lines, [
    {
      ...outage,
      reason: 'the database does not answer',
      code: 'ECONNREFUSED',
      seconds: 0,
      during: 'request failed',
    },
    { ...outage, seconds: 60 },
    { ...outage, seconds: 120 },
  ])
  t.equal(lines.length, 3)
  t.match(lines[0]?.where, /outage-log\.test\.ts:\d+/)
  t.notMatch(JSON.stringify(lines), /secret/)
  recover()
  pass(1000)
  t.same(lines.slice(3), [
    { level: 'warn', event: 'store available', store: 'vault at db.example:5432', seconds: 126 },
  ])
  pass(600_000)
  t.equal(lines.length, 4, 'nothing more')
})

t.test('an outage lasts without anybody who notices, and short ones are not repeated', async t => {
  const { lines, fail, pass, recover } = open(t)
  fail()
  pass(59_000)
  pass(1000)
  t.equal(lines.length, 2, 'no request failed meanwhile')
  recover()
  pass(1000)
  for (let time = 0; time < 50; time++) {
    fail()
    recover()
    pass(1000)
  }
  t.equal(lines.length, 3, 'within a minute of the last line')
})

t.test('everything else is written as ever', async t => {
  const { lines, log } = open(t)
  log.info('a')
  log.warn('b', { count: 1 })
  log.error('c', describeError(new TypeError('x')))
  t.match(lines, [
    { level: 'info', event: 'a' },
    { level: 'warn', event: 'b', count: 1 },
    { level: 'error', event: 'c', error: 'TypeError' },
  ])
})
