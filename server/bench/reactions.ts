import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cardNumber } from './cards.ts'
import { Connection } from './connection.ts'
import { line, measure } from './measure.ts'
import { managementKey, privateKey, startServer } from './server-process.ts'

const clients = 16
/** As many as one invocation may have. */
const tokens = 100

/** Answers the parsed body of a success. */
type Ask = (connection: Connection, key: string, path: string, body: object) => Promise<{ id: string }>

const ask: Ask = (connection, key, path, body) => {
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nSVC-API-KEY: ${key}\r\n`
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const onAnswer = (status: number, answer: Buffer) =>
      status < 300 ? resolve(JSON.parse(answer.toString())) : reject(new Error(answer.toString()))
    connection.send(head + length + text, onAnswer, reject)
  })
}

const code = 'module.exports = async req => ({ raw: { seen: JSON.stringify(req.args).length } })'

/** Invocations over HTTP: without a token, with one, and with as many as one may have. */
export async function reactOverHttp(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'surrogate-reactions-'))
  try {
    const server = await startServer(folder)
    const port = Number(new URL(server.url).port)
    const open = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)))
    const first = open[0] as Connection
    const formula = { name: 'Bench', type: 'private', code, configuration: [], request_parameters: [] }
    const { id: formulaId } = await ask(first, managementKey, '/reactor-formulas', formula)
    const reactor = { name: 'Bench', configuration: {}, formula: { id: formulaId } }
    const { id } = await ask(first, managementKey, '/reactors', reactor)
    const cards: string[] = []
    for (let n = 0; n < tokens; n++) {
      const data = { number: cardNumber(n) }
      cards.push(`{{ ${(await ask(first, privateKey, '/tokens', { type: 'card', data })).id} }}`)
    }
    const react = (args: object) => (lane: number) =>
      ask(open[lane] as Connection, privateKey, `/reactors/${id}/react`, { args })
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
