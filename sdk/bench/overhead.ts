/**
 * `npm run bench -- sdk`: processor time of a call of the client beside the same request by `fetch`. The server is a program
 * of a few lines in another process, so that only callers are measured.
 *
 * An application has one of the two: in one process each would pay for the shapes of the other's objects, and for its
 * garbage. So each measurement has a process of its own, in turns, and processes differ by several per cent: the ratio is
 * that of the medians, and by hand is measured twice to show what is chance.
 *
 * Measured with the `fetch` of the runtime, and with one that responds at once, where nothing is left but the work of the
 * client beside the least that an application would do itself.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{"id":"abc","type":"card","containers":["/pci/high/"]}'))
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

const rounds = 9
const callers = ['by hand', 'client', 'by hand again'] as const

const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
const [port] = await once(server.stdout, 'data')

/** Returns the microseconds of processor time of a call. */
async function measure(caller: string, operation: string, url: string): Promise<number> {
  const file = fileURLToPath(new URL('callers.ts', import.meta.url))
  const args = [...process.execArgv, file, caller, operation, url]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

for (const [name, url] of [
  ['over the network', `http://127.0.0.1:${String(port).trim()}`],
  ['of its own', 'none'],
] as const) {
  for (const operation of ['get', 'create']) {
    const costs = callers.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      // Who is first alternates.
      for (let turn = 0; turn < callers.length; turn++) {
        const at = (round + turn) % callers.length
        costs[at]?.push(await measure(callers[at] ?? '', operation, url))
      }
    }
    const [hand = 0, client = 0, again = 0] = costs.map(median)
    process.stdout.write(
      `tokens.${operation} ${name}: by hand ${hand.toFixed(1)} and ${again.toFixed(1)} µs, client ` +
        `${client.toFixed(1)} µs of processor time, ratio ${(client / ((hand + again) / 2)).toFixed(3)}\n`,
    )
  }
}
server.kill()
