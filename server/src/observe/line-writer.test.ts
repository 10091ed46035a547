import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createLog } from '../base/log.ts'
import { lineWriter } from './line-writer.ts'

/** A stream whose reader takes a chunk when it is told to. */
function slowReader() {
  const chunks: string[] = []
  let read = () => {}
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      read = done
    },
  })
  const lines = () => chunks.flatMap(chunk => chunk.trim().split('\n')).map(line => JSON.parse(line))
  return { stream, chunks, lines, read: () => read() }
}

t.test('lines of one turn are written together, and a warning at once after those before it', async t => {
  const { stream, chunks, lines } = slowReader()
  const log = createLog(lineWriter(stream))
  log.info('a')
  log.info('b')
  t.same(chunks, [])
  await turn()
  t.equal(chunks.length, 1)
  t.match(lines(), [{ event: 'a' }, { event: 'b' }])
  const other = slowReader()
  const urgent = createLog(lineWriter(other.stream))
  urgent.info('a')
  urgent.warn('b')
  t.match(other.lines(), [{ event: 'a' }, { event: 'b' }])
})

t.test('lines that nobody reads are dropped and counted', async t => {
  const { stream, lines, read } = slowReader()
  const log = createLog(lineWriter(stream))
  const long = { text: 'x'.repeat(1000) }
  for (let each = 0; each < 3000; each++) {
    log.warn('line', long)
    await null
  }
  t.ok(stream.writableLength < 1 << 21, `${stream.writableLength} characters wait`)
  while (stream.writableLength > 0) {
    read()
    await turn()
  }
  log.info('again')
  await turn()
  const all = lines()
  const kept = all.filter(({ event }) => event === 'line').length
  t.ok(kept > 900)
  const [notice, last] = all.slice(-2)
  t.match(notice, { level: 'warn', lines: 3000 - kept })
  t.match(last, { level: 'info', event: 'again' })
})
