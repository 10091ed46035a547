/**
 * `npm run verify -- soak`: sends a steady mixed load to a server on LevelDB, and checks that neither its memory nor its data
 * folder grows. Time is moved, so that an hour is twelve days: audit entries (kept for one day, and erased once a day),
 * idempotency records, tokens and sessions reach their ends, and the sweep and the compaction run. The exit code is 1 if
 * something grows.
 *
 *   npm run verify -- soak [--minutes 60] [--rate 20] [--seed S]
 */
import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { median, quantile, say, sum } from '../bench/figures.ts'
import { cpuUsOf } from '../bench/servers.ts'
import { generate } from '../load/generate.ts'
import { filesUnder } from '../support/files.ts'
import { advanceOver } from '../support/started-replicas.ts'
import { SoakLoad } from './load.ts'
import { mebibytes, startTarget } from './target.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  },
})
const minutes = Number(values.minutes)
const rate = Number(values.rate)
if (!(minutes > 0 && rate > 0)) throw new Error('--minutes and --rate must be positive numbers')

/** Of a run: enough that a quarter has a median. */
const samples = 60
/** Three days in each quarter, as the disk grows until the audit log is erased at the end of a day. */
const simulatedMs = 12 * 24 * 3_600_000
const intervalMs = (minutes * 60_000) / samples
const stepMs = simulatedMs / samples

function bytesOf(folder: string): number {
  // A compaction may remove a file meanwhile.
  return sum(filesUnder(folder).map(path => statSync(path, { throwIfNoEntry: false })?.size ?? 0))
}

say(`seed ${values.seed}: ${minutes} minutes, ${rate} requests a second`)
const target = await startTarget(['--dev'], { SURROGATE_AUDIT_RETENTION: '1' })
const load = new SoakLoad(target.port, values.seed)
let movedMs = 0

const held: number[] = []
const resident: number[] = []
const disk: number[] = []
try {
  await load.prepare(Date.now())
  const startMs = performance.now()
  say(
    'minute  requests  heap and buffers after a collection, MB  resident, MB  disk, MB  p50, ms  p99, ms  processor',
  )
  for (let sample = 1; sample <= samples; sample++) {
    const [cpuBeforeUs, beforeMs] = [cpuUsOf(target.pid), performance.now()]
    const seconds = (startMs + sample * intervalMs - beforeMs) / 1000
    const { times } = await generate({
      senders: 1,
      rate,
      seconds,
      send: () => load.send(Date.now() + movedMs),
    })
    const share = (cpuUsOf(target.pid) - cpuBeforeUs) / (performance.now() - beforeMs) / 1000
    await advanceOver(`http://127.0.0.1:${target.port}`, stepMs)
    movedMs += stepMs
    const { heldBytes, residentBytes } = await target.memory()
    held.push(heldBytes)
    resident.push(residentBytes)
    disk.push(bytesOf(target.folder))
    const columns: readonly (readonly [text: string, width: number])[] = [
      [((performance.now() - startMs) / 60_000).toFixed(1), 6],
      [String(load.count), 10],
      [mebibytes(heldBytes), 42],
      [mebibytes(residentBytes), 14],
      [mebibytes(disk.at(-1)), 10],
      [quantile(times, 0.5).toFixed(2), 9],
      [quantile(times, 0.99).toFixed(2), 9],
      [`${(share * 100).toFixed(0)} %`, 11],
    ]
    say(columns.map(([text, width]) => text.padStart(width)).join(''))
  }
} finally {
  await target.end()
}

/**
 * In the first half of a run caches fill and the first audit entries reach their age, so only the second half counts: the
 * median of the last quarter may exceed that of the third by a share. Medians ignore the moments before a garbage
 * collection or a compaction.
 */
for (const [name, bytes, allowed] of [
  ['heap and buffers', held, 0.05],
  ['resident memory', resident, 0.1],
  ['disk', disk, 0.1],
] as const) {
  const quarter = samples / 4
  const [before, after] = [median(bytes.slice(-2 * quarter, -quarter)), median(bytes.slice(-quarter))]
  const growth = after / before - 1
  const isFlat = growth <= allowed
  say(
    `${name}: ${mebibytes(before)} MB in the third quarter, ${mebibytes(after)} MB in the last: ${(growth * 100).toFixed(1)} %, ${allowed * 100} % allowed: ${isFlat ? 'flat' : 'GROWS'}`,
  )
  if (!isFlat) process.exitCode = 1
}
