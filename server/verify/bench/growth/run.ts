/**
 * `npm run bench -- growth`: how cost grows with the number of tokens. Fills a store over HTTP (the last 100,000 of a size
 * by single creates, the others by 100 in a request), starts the server anew at each size, and prints a row for it.
 *
 *     --sizes N,N…       numbers of tokens (1000,10000,100000,1000000,10000000)
 *     --engine NAME      level, postgres or citus (level)
 *     --folder FOLDER    where the data of LevelDB and the rows are kept: run again, it goes on there (growth in the
 *                        folder of temporary files)
 *     --storage URL      a database to use instead of one that ends with this process
 *     --parts NAMES      only some of fill, creates, reads and commands, such as all but the last on a busy machine
 *     --picture FILE     draws all rows of the folder as SVG
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printTable, say } from '../figures.ts'
import { measure } from './measure.ts'
import { drawGrowth } from './picture.ts'
import { type Memory, type Progress, parts, type Row } from './row.ts'
import { openSubject } from './subject.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000,10000000' },
    engine: { type: 'string', default: 'level' },
    folder: { type: 'string' },
    storage: { type: 'string' },
    parts: { type: 'string', default: parts.join() },
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
    : { count: 0, next: 0, rows: [] }
const save = () => writeFileSync(stateFile, JSON.stringify(progress))

const number = (value: number | undefined) => value?.toFixed(value < 10 ? 1 : 0) ?? ''

const memory = (of: Memory | undefined) => (of ? `${of.residentMiB} (${of.ownMiB})` : '')

/** Returns a table whose columns are the sizes. */
function tableOf(rows: readonly Row[]): string[][] {
  const of = (name: string, figure: (row: Row) => string) => [name, ...rows.map(figure)]
  const names = Object.keys(rows[0]?.reads?.times ?? {})
  const times = names.map(name =>
    of(`${name}, p50 / p99 ms`, ({ reads }) => {
      const { p50, p99 } = reads?.times[name] ?? {}
      return p50 === undefined || p99 === undefined ? '' : `${p50.toFixed(2)} / ${p99.toFixed(1)}`
    }),
  )
  return [
    of('tokens', ({ size }) => String(size)),
    of('tokens created a second, 100 a request', ({ fill }) => number(fill?.tokensPerSecond)),
    of('creates a second', ({ creates }) => number(creates?.perSecond)),
    of('p99 of a create, ms', ({ creates }) => number(creates?.p99)),
    of('µs of the server a create', ({ creates }) => number(creates?.serverUs)),
    of('µs of the database a create', ({ creates }) => number(creates?.databaseUs)),
    of('start, ms', ({ reads }) => number(reads?.startMs)),
    of('start and first response, ms', ({ reads }) => number(reads?.firstMs)),
    of('MB (without mapped files) after a start', ({ reads }) => memory(reads?.started)),
    of('MB after the fill, 100 a request', ({ fill }) => memory(fill?.filled)),
    of('MB after the creates', ({ creates }) => memory(creates?.filled)),
    of('MB after the reads', ({ reads }) => memory(reads?.done)),
    of('bytes on disk a token', ({ reads, size }) => number(reads && reads.diskBytes / size)),
    ...times,
    of('sweep of 100,000 (or all), s', ({ reads }) => number(reads?.sweepSeconds)),
    of('backup, s', ({ commands }) => number(commands?.backupSeconds)),
    of('restore, s', ({ commands }) => number(commands?.restoreSeconds)),
    of('reindex, s', ({ commands }) => number(commands?.reindexSeconds)),
  ]
}

say(`Node ${process.version}, ${availableParallelism()} cores, ${engine}; data in ${folder}`)
const subject = await openSubject(engine, folder, storage)
try {
  for (const size of values.sizes.split(',').map(Number)) {
    const row = progress.rows.find(one => one.size === size) ?? { size }
    if (!progress.rows.includes(row)) progress.rows.push(row)
    for (const part of parts) {
      if (row[part] !== undefined || !values.parts.split(',').includes(part)) continue
      await measure(part, { subject, folder }, row, progress, save)
      save()
    }
    printTable(tableOf(progress.rows))
  }
} finally {
  await subject.close()
}
if (picture !== undefined) writeFileSync(picture, drawGrowth(progress.rows, engine))
