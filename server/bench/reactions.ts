import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cardNumber } from './cards.ts'
import { Connection } from './connection.ts'
import { line, measure } from './measure.ts'
import { make, makeReactor, post } from './post.ts'
import { managementKey, privateKey, startServer } from './server-process.ts'

const clients = 16
/** The maximum of one invocation. */
const tokens = 100

const code = 'module.exports = async req => ({ raw: { seen: JSON.stringify(req.args).length } })'

/** Measures invocations over HTTP: without tokens, with one, and with the maximum. */
export async function reactOverHttp(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'surrogate-reactions-'))
  try {
    const server = await startServer(folder)
    const port = Number(new URL(server.url).port)
    const open = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)))
    const first = open[0] as Connection
    const path = await makeReactor(first, managementKey, code)
    const cards: string[] = []
    for (let n = 0; n < tokens; n++) {
      const data = { number: cardNumber(n) }
      cards.push(`{{ ${await make(first, privateKey, '/tokens', { type: 'card', data })} }}`)
    }
    const react = (args: object) => {
      const body = JSON.stringify({ args })
      return async (lane: number) => {
        const { status, text } = await post(open[lane] as Connection, privateKey, path, body)
        if (status !== 200) throw new Error(`the invocation responded ${status}: ${text}`)
      }
    }
    const rows: readonly [name: string, args: object][] = [
      ['over HTTP, no token', { amount: 1 }],
      ['over HTTP, one card', { card: cards[0] }],
      [`over HTTP, ${tokens} cards`, { cards }],
    ]
    for (const [name, args] of rows) {
      await measure(react(args), { lanes: clients, most: 200 })
      line(name, await measure(react(args), { lanes: clients }))
    }
    line('over HTTP, one card, one client', await measure(react({ card: cards[0] }), { lanes: 1 }))
    for (const connection of open) connection.close()
    await server.end()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
