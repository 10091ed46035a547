import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from './connection.ts'
import { startGenerator } from './generator.ts'
import { line, measure, say } from './measure.ts'
import { makeReactor, post } from './post.ts'
import {
  hostileManagementKey,
  hostilePrivateKey,
  managementKey,
  maskingKey,
  privateKey,
  startServer,
} from './server-process.ts'
import { quantileMs } from './table.ts'

const readers = 16
const attackers = 32
const seconds = 10

const good = 'module.exports = async req => ({ raw: req.args })'
const hostile = [
  'module.exports = () => { for (;;) {} }',
  'module.exports = async () => { for (;;) await null }',
  'module.exports = () => { const a = []; for (;;) a.push(new Array(1000).fill(a.length)) }',
  "module.exports = () => /^(a+)+$/.test('a'.repeat(40) + 'b')",
  'module.exports = () => { throw new Error() }',
]

/** Measures reads and another tenant's invocations while one tenant keeps as many processes busy as it can get. */
export async function attackWithFormulas(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'surrogate-hostile-'))
  const generator = startGenerator()
  try {
    const server = await startServer(folder)
    const port = Number(new URL(server.url).port)
    const open = (count: number) => Promise.all(Array.from({ length: count }, () => Connection.open(port)))
    const [own, ...attacking] = (await open(attackers + 1)) as [Connection, ...Connection[]]
    const path = await makeReactor(own, managementKey, good)
    const attacks: string[] = []
    for (const code of hostile) attacks.push(await makeReactor(own, hostileManagementKey, code))
    const job = { url: server.url, connections: readers, cvc: false }
    await generator.run({ ...job, key: privateKey, operation: 'create', requests: 5000 })
    const read = () => generator.run({ ...job, key: maskingKey, operation: 'get masked', seconds })
    const react = async () => {
      const { status, text } = await post(own, privateKey, path, '{"args":{"a":1}}')
      if (status !== 200) throw new Error(`the invocation responded ${status}: ${text}`)
    }
    await read()
    const usual = await read()
    line('invocations, usually', await measure(react, { lanes: 1 }))
    let over = false
    const counts = new Map<number, number>()
    const attack = async (connection: Connection, first: number) => {
      for (let turn = first; !over; turn++) {
        const { status } = await post(
          connection,
          hostilePrivateKey,
          attacks[turn % attacks.length] ?? '',
          '{}',
        )
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    }
    const attacked = Promise.all(attacking.map(attack))
    attacked.catch(() => {})
    const during = await read()
    line('invocations, beside hostile ones', await measure(react, { lanes: 1 }))
    over = true
    // The last hostile formulas are still running; their end is not awaited.
    for (const connection of attacking) connection.close()
    say(
      `hostile invocations, by status: ${[...counts].map(([status, count]) => `${status} ${count}`).join(', ')}`,
    )
    for (const [name, { latencies, seconds: took }] of Object.entries({ usual, during })) {
      const [p50, p99] = [0.5, 0.99].map(part => quantileMs(latencies, part).toFixed(2))
      say(
        `${name.padEnd(8)}${(latencies.length / took).toFixed(0).padStart(7)} gets/s  p50 ${p50} ms  p99 ${p99} ms`,
      )
    }
    const ratio = quantileMs(during.latencies, 0.99) / quantileMs(usual.latencies, 0.99)
    say(`p99 of reads beside hostile formulas: ${ratio.toFixed(2)} × its usual value`)
    own.close()
    await server.end()
  } finally {
    await generator.end()
    await rm(folder, { recursive: true, force: true })
  }
}
