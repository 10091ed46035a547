/**
 * Measures the processor time of a new process compared with an empty one: for the import, for a test file with a
 * request of each kind, for a second vault, and for the command until it listens. Needs a build.
 *
 *   npm run bench:cold -- [--rounds 15]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './table.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const rounds = Number(values.rounds)
const server = JSON.stringify(new URL('../dist/index.js', import.meta.url).href)
const command = fileURLToPath(new URL('../bin/surrogate-server.js', import.meta.url))

/** Each program ends by printing its processor time up to some point, in milliseconds. */
const print = `const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`

/** A test file like that of an application. */
const testFile = (dev: boolean) => `
  const { createVault } = await import(${server})
  const open = async () => {
    const vault = createVault({ dev: ${dev} })
    return { vault, keys: await vault.createTenant() }
  }
  const { vault, keys } = await open()
  const ask = async (method, path, body, type = 'application/json') => {
    const headers = { 'SVC-API-KEY': keys.privateKey, ...(body ? { 'Content-Type': type } : {}) }
    const response = await vault.fetch('http://vault.test' + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }
  const { id } = await ask('POST', '/tokens', { type: 'card', data: { number: '4242424242424242', expiration_month: 1, expiration_year: 2030 } })
  await ask('GET', '/tokens/' + id)
  await ask('PATCH', '/tokens/' + id, { metadata: { a: 'b' } }, 'application/merge-patch+json')
  await ask('GET', '/tokens')
  await ask('POST', '/tokens/search', { query: 'type:card' })
  await vault.fetch('http://vault.test/sessions', { method: 'POST', headers: { 'SVC-API-KEY': keys.publicKey } })`

const secondVault = (dev: boolean) => `${testFile(dev)}
  const before = process.cpuUsage()
  await open()
  const taken = process.cpuUsage(before)
  console.log((taken.user + taken.system) / 1000)
  process.exit()`

async function run(program: string): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', data => {
    output += data
  })
  await once(child, 'close')
  return Number(output)
}

/** Returns the processor time of the command until it listens, as reported by the system. */
async function start(): Promise<number> {
  const child = spawn(process.execPath, [command, '--dev', '--port=0', '--storage=memory:'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const [user = 0, system = 0] =
    readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? []
  child.kill('SIGKILL')
  await once(child, 'close')
  return (user + system) * 10
}

const shapes: readonly (readonly [name: string, measure: () => Promise<number>])[] = [
  ['an empty process', () => run(print)],
  ['import', () => run(`await import(${server}); ${print}`)],
  ['test file', () => run(`${testFile(false)}; ${print}; process.exit()`)],
  ['test file, dev', () => run(`${testFile(true)}; ${print}; process.exit()`)],
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
  const isOver = !name.startsWith('an empty') && !name.startsWith('second')
  const ms = usual(name) - (isOver ? empty : 0)
  process.stdout.write(
    `${name.padEnd(28)} ${ms.toFixed(0).padStart(6)} ms${isOver ? ' over an empty process' : ''}\n`,
  )
}
