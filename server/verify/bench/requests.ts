/**
 * `npm run bench -- requests`: requests per second, latency and processor time of each operation on LevelDB, in turn with
 * the ceiling program (`ceiling.mjs`), which does the same work with nothing around it, and with `--against` with another
 * build. Shows the ratios to both.
 *
 *     --rounds N         how often each server is started and measured (3)
 *     --seconds S        duration of each measurement (2)
 *     --only TEXT        only operations whose name begins with TEXT, such as get or "list page"
 *     --against FOLDER   the root of another built copy of this repository, such as the commit before a change
 *
 * Figures can be compared within one run, not between runs.
 */
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keys } from '../support/callers.ts'
import { makeReactorOver } from '../support/started-replicas.ts'
import { median, ms, ownCpuUs, printTable, say } from './figures.ts'
import { type Costs, costsOf, type OperationName, operations } from './load.ts'
import { type Started, start, startServer, workFolder } from './servers.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const names = (Object.keys(operations) as OperationName[]).filter(name => name.startsWith(values.only))
if (names.length === 0) throw new Error(`--only is one of ${Object.keys(operations).join(', ')}`)
/** More invocations of one tenant may not wait. */
const concurrenciesOf = (name: OperationName) => (name === 'invoke' ? [16] : [16, 64])
type Build = 'ceiling' | 'other' | 'this'
const builds: readonly Build[] = [
  'ceiling',
  ...(values.against === undefined ? [] : (['other'] as const)),
  'this',
]
/** What the ceiling program does. */
const ofCeiling: readonly OperationName[] = ['create', 'get masked']

async function startBuild(build: Build, folder: string): Promise<Started> {
  if (build !== 'ceiling')
    return startServer(folder, { root: build === 'other' ? values.against : undefined })
  return start([process.execPath, fileURLToPath(new URL('ceiling.mjs', import.meta.url)), folder])
}

/** The samples of each row, one for each round. */
const samples = new Map<string, Costs[]>()
const rowOf = (operation: string, connections: number, build: string) =>
  [operation, connections, build].join('\t')
/** Of the load generator, which is this process. */
const generator = { requests: 0, cpuUs: 0 }

async function measureBuild(build: Build, folder: string): Promise<void> {
  const server = await startBuild(build, folder)
  try {
    const ids: string[][] = []
    const code = 'module.exports = async req => ({ raw: { length: JSON.stringify(req.args).length } })'
    const reactor = build === 'ceiling' ? '' : await makeReactorOver(server.url, keys.management, code)
    const send = async (name: OperationName, connections: number, seconds: number) => {
      const { key, request } = operations[name]
      const ownBefore = ownCpuUs()
      const job = { keys: [key], connections, seconds, ids }
      const measured = await costsOf(server, { ...job, request: (n, id) => request(n, id, reactor) })
      generator.requests += measured.count
      generator.cpuUs += ownCpuUs() - ownBefore
      return measured
    }
    // Creates tokens for the reads, and warms up code: after a second our server still takes a tenth more for a create.
    await send('create', 16, 3)
    for (const name of names.filter(one => build !== 'ceiling' || ofCeiling.includes(one))) {
      await send(name, 16, 1)
      for (const connections of concurrenciesOf(name)) {
        const row = rowOf(name, connections, build)
        samples.set(row, [...(samples.get(row) ?? []), await send(name, connections, seconds)])
      }
    }
  } finally {
    await server.end()
  }
}

function print(): void {
  const rows = [
    [
      'operation',
      'clients',
      'build',
      'req/s',
      'p50 ms',
      'p99 ms',
      'cpu µs/req',
      ...builds.flatMap(build => (build === 'this' ? [] : [`rate, × ${build}`, `cpu, × ${build}`])),
    ],
  ]
  for (const [row, rounds] of samples) {
    const cells = row.split('\t')
    const of = (figure: keyof Costs) => median(rounds.map(one => one[figure]))
    // Of each round: a slow phase of the machine affects both builds.
    const ratio = (build: Build, figure: keyof Costs) => {
      const others = samples.get([...cells.slice(0, 2), build].join('\t'))
      return others && cells[2] === 'this'
        ? median(rounds.map((one, round) => one[figure] / (others[round]?.[figure] ?? Number.NaN))).toFixed(2)
        : ''
    }
    rows.push([
      ...cells,
      ...[of('perSecond').toFixed(0), ms(of('p50')), ms(of('p99')), of('cpuUs').toFixed(0)],
      ...builds.flatMap(build =>
        build === 'this' ? [] : [ratio(build, 'perSecond'), ratio(build, 'cpuUs')],
      ),
    ])
  }
  printTable(rows)
}

const folder = workFolder('bench')

say(`Node ${process.version}, ${availableParallelism()} cores; data in ${tmpdir()}`)
for (let round = 0; round < Number(values.rounds); round++) {
  for (const build of round % 2 ? builds.toReversed() : builds)
    await measureBuild(build, join(folder, `${build}-${round}`))
}
print()
say(
  `the load generator used ${(generator.cpuUs / generator.requests).toFixed(0)} µs of processor time per request`,
)
