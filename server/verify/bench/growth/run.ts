/**
 * `npm run bench -- growth`: how cost grows with the number of tokens. Fills a store over HTTP, starts the server anew at
 * each size, and prints a row for it.
 *
 *     --sizes N,N…       numbers of tokens (1000,10000,100000,1000000,10000000)
 *     --engine NAME      level, postgres or citus (level)
 *     --folder FOLDER    where the data of LevelDB and the rows are kept: run again, it goes on there (growth in the
 *                        folder of temporary files)
 *     --storage URL      a database to use instead of one that ends with this process
 *     --picture FILE     draws all rows of the folder as SVG
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printTable, say } from '../figures.ts'
import { fill, measure } from './measure.ts'
import { drawGrowth } from './picture.ts'
import type { Progress, Row } from './row.ts'
import { openSubject } from './subject.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000,10000000' },
    engine: { type: 'string', default: 'level' },
    folder: { type: 'string' },
    storage: { type: 'string' },
    picture: { type: 'string' },
  },
})
const { engine, storage, picture } = values
const folder = values.folder ?? join(tmpdir(), `surrogate-growth-${engine}`)
mkdirSync(folder, { recursive: true })
const stateFile = join(folder, 'rows.json')
const isKept = engine === 'level' || storage !== undefined
const progress: Progress =
  isKept && existsSync(stateFile)
    ? JSON.parse(readFileSync(stateFile, 'utf8'))
    : { count: 0, next: 0, ids: [], rows: [] }
const save = () => writeFileSync(stateFile, JSON.stringify(progress))

const number = (value: number) => value.toFixed(value < 10 ? 1 : 0)

/** Returns a table whose columns are the sizes. */
function tableOf(rows: readonly Row[]): string[][] {
  const of = (name: string, figure: (row: Row) => string) => [name, ...rows.map(figure)]
  const times = Object.keys(rows[0]?.times ?? {}).map(name =>
    of(`${name}, p50 / p99 ms`, ({ times }) => {
      const { p50 = 0, p99 = 0 } = times[name] ?? {}
      return `${p50.toFixed(2)} / ${p99.toFixed(1)}`
    }),
  )
  return [
    of('tokens', ({ size }) => String(size)),
    of('creates a second', ({ fill }) => number(fill.createsPerSecond)),
    of('longest p99 of 100,000 creates, ms', ({ fill }) => number(fill.createP99)),
    of(
      'µs of the server, the database a create',
      ({ fill }) => `${number(fill.serverUs)}, ${number(fill.databaseUs)}`,
    ),
    of('start, first response, ms', ({ startMs, firstMs }) => `${number(startMs)}, ${number(firstMs)}`),
    of(
      'MB after a start, the fill, the reads',
      ({ fill, readMiB }) => `${fill.startedMiB}, ${fill.filledMiB}, ${readMiB}`,
    ),
    of('bytes on disk a token', ({ diskBytes, size }) => number(diskBytes / size)),
    ...times,
    of('sweep of 100,000 (or all), s', ({ sweepSeconds }) => number(sweepSeconds)),
    of('backup, s', ({ backupSeconds }) => number(backupSeconds)),
    of('restore, s', ({ restoreSeconds }) => number(restoreSeconds)),
    of('reindex, s', ({ reindexSeconds }) => (reindexSeconds === undefined ? '' : number(reindexSeconds))),
  ]
}

say(`Node ${process.version}, ${availableParallelism()} cores, ${engine}; data in ${folder}`)
const subject = await openSubject(engine, folder, storage)
try {
  for (const size of values.sizes.split(',').map(Number)) {
    if (!progress.rows.some(row => row.size === size)) {
      const place = { subject, folder }
      const filled = await fill(place, size, progress, save)
      progress.rows.push({ fill: filled, ...(await measure(place, size, progress)) })
      save()
    }
    printTable(tableOf(progress.rows))
  }
} finally {
  await subject.close()
}
if (picture !== undefined) writeFileSync(picture, drawGrowth(progress.rows, engine))
