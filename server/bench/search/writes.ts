import { Connection } from '../connection.ts'
import { privateKey, startServer } from '../server-process.ts'

const writers = 64
const secondsEach = 3
const turns = 3

/** Measures creates per second with and without ten metadata entries, in turn on one server. */
export async function measureCreates(folder: string): Promise<string> {
  const server = await startServer(folder)
  try {
    const port = Number(new URL(server.url).port)
    const rates = new Map<number, number[]>()
    let next = 0
    // The first second of each warms up the code.
    for (let turn = 0; turn <= turns; turn++) {
      for (const terms of turn % 2 ? [10, 0] : [0, 10]) {
        const rate = await creates(port, turn === 0 ? 1 : secondsEach, () => bodyOf(next++, terms))
        if (turn > 0) rates.set(terms, [...(rates.get(terms) ?? []), rate])
      }
    }
    const mean = (terms: number) => (rates.get(terms) ?? []).reduce((sum, rate) => sum + rate, 0) / turns
    const [without, withTen] = [mean(0), mean(10)]
    return (
      `creates by ${writers} writers: ${without.toFixed(0)} a second without metadata, ` +
      `${withTen.toFixed(0)} with ten entries (${((100 * withTen) / without).toFixed(0)} %)`
    )
  } finally {
    await server.end()
  }
}

/** Half of the entries are shared by many tokens, half by few. */
function bodyOf(n: number, terms: number): string {
  const metadata: Record<string, string> = {}
  for (let entry = 0; entry < terms; entry++) {
    metadata[`key${entry}`] = String(entry % 2 ? n % 10 : Math.floor(n / 3) * 10 + entry)
  }
  return JSON.stringify({ type: 'token', data: `value ${n}`, ...(terms > 0 ? { metadata } : {}) })
}

async function creates(port: number, seconds: number, body: () => string): Promise<number> {
  const connections = await Promise.all(Array.from({ length: writers }, () => Connection.open(port)))
  const head = `POST /tokens HTTP/1.1\r\nHost: bench\r\nSVC-API-KEY: ${privateKey}\r\nContent-Type: application/json\r\n`
  const endMs = performance.now() + seconds * 1000
  let answered = 0
  const write = (connection: Connection) =>
    new Promise<void>((resolve, reject) => {
      const step = () => {
        if (performance.now() >= endMs) return resolve()
        const text = body()
        const onAnswer = (status: number, answer: Buffer) => {
          if (status !== 201) return reject(new Error(`a create: status ${status}: ${answer}`))
          if (performance.now() < endMs) answered++
          step()
        }
        connection.send(`${head}Content-Length: ${text.length}\r\n\r\n${text}`, onAnswer, reject)
      }
      step()
    })
  try {
    await Promise.all(connections.map(write))
  } finally {
    for (const connection of connections) connection.close()
  }
  return answered / seconds
}
