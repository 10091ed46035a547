/**
 * Measures the processor time of a new process compared with an empty one: for the import, for a test file with a
 * request of each kind, for a second vault, and for the command until it listens. Beside it, a test file that has one
 * handler of msw instead of a server. Needs a build.
 *
 *   npm run bench -- cold [--rounds 15]
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { median, say } from './figures.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const rounds = Number(values.rounds)
const server = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)
const command = fileURLToPath(new URL('../../bin/surrogate-server.js', import.meta.url))

/** Each program ends by printing its processor time up to some point, in milliseconds. */
const print = `const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`

/** Opens a vault; `ask` sends a request to it that must succeed. */
const opened = (dev: boolean) => `
  const { createVault } = await import(${server})
  const open = async () => {
    const vault = createVault({ dev: ${dev} })
    return { vault, keys: await vault.createTenant() }
  }
  const { vault, keys } = await open()
  const ask = async (method, path, body, { key = keys.privateKey, type = 'application/json' } = {}) => {
    const headers = { 'SVC-API-KEY': key, ...(body ? { 'Content-Type': type } : {}) }
    const response = await vault.fetch('http://vault.test' + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }`

/** A test file like that of an application. */
const testFile = (dev: boolean) => `${opened(dev)}
  const { id } = await ask('POST', '/tokens', { type: 'card', data: { number: '4242424242424242', expiration_month: 1, expiration_year: 2030 } })
  await ask('GET', '/tokens/' + id)
  await ask('PATCH', '/tokens/' + id, { metadata: { a: 'b' } }, { type: 'application/merge-patch+json' })
  await ask('GET', '/tokens')
  await ask('POST', '/tokens/search', { query: 'type:card' })
  await ask('POST', '/sessions', undefined, { key: keys.publicKey })`

/** The least that a test file does which imitates a service by msw. */
const oneHandler = `
  const { http, HttpResponse } = await import('msw')
  const { setupServer } = await import('msw/node')
  const server = setupServer(http.post('http://service.test/tokens', () => HttpResponse.json({ id: 'a' })))
  server.listen()
  const response = await fetch('http://service.test/tokens', { method: 'POST', body: '{}' })
  if ((await response.json()).id !== 'a') throw new Error('not handled')
  server.close()`

const secondVault = (dev: boolean) => `${testFile(dev)}
  const before = process.cpuUsage()
  await open()
  const taken = process.cpuUsage(before)
  console.log((taken.user + taken.system) / 1000)
  process.exit()`

async function run(program: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return Number(stdout)
}

/** Returns the processor time of the threads of a process, as reported by the system. */
function processorMs(pid: number | undefined): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const ns = tasks.map(task =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ns.reduce((sum, one) => sum + one, 0) / 1e6
}

/** Returns the processor time of the command until it listens. */
async function start(): Promise<number> {
  const child = spawn(process.execPath, [command, '--dev', '--port=0', '--storage=memory:'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('management key')) break
  }
  const taken = processorMs(child.pid)
  child.kill('SIGKILL')
  await once(child, 'close')
  return taken
}

const shapes: readonly (readonly [name: string, measure: () => Promise<number>])[] = [
  ['an empty process', () => run(print)],
  ['import', () => run(`await import(${server}); ${print}`)],
  ['test file', () => run(`${testFile(false)}; ${print}; process.exit()`)],
  ['test file, dev', () => run(`${testFile(true)}; ${print}; process.exit()`)],
  ['test file, one handler of msw', () => run(`${oneHandler}; ${print}; process.exit()`)],
  ['second vault', () => run(secondVault(false))],
  ['second vault, dev', () => run(secondVault(true))],
  ['command, until it listens', start],
]

const taken = new Map<string, number[]>()
// In turns, so that a slow phase of the machine affects all of them.
for (let round = 0; round < rounds; round++) {
  for (const [name, measure] of shapes) taken.set(name, [...(taken.get(name) ?? []), await measure()])
}
const usual = (name: string) => median(taken.get(name) ?? [])
const empty = usual('an empty process')
for (const [name] of shapes) {
  const isOver = /^(import|test file|command, until)/.test(name)
  const ms = usual(name) - (isOver ? empty : 0)
  say(`${name.padEnd(30)} ${ms.toFixed(0).padStart(6)} ms${isOver ? ' over an empty process' : ''}`)
}
const ofMsw = (name: string) =>
  ((usual(name) - empty) / (usual('test file, one handler of msw') - empty)).toFixed(2)
say(
  `a test file takes ${ofMsw('test file')} of what one handler of msw takes, ${ofMsw('test file, dev')} under dev`,
)
