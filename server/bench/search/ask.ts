import { Connection } from '../connection.ts'

/** One connection that asks one thing after another. */
export class Asker {
  readonly #connection: Connection
  readonly #head: string

  private constructor(connection: Connection, head: string) {
    this.#connection = connection
    this.#head = head
  }

  static async open(url: string, path: string, key = ''): Promise<Asker> {
    const { port, host } = new URL(url)
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nSVC-API-KEY: ${key}\r\nContent-Type: application/json\r\n`
    return new Asker(await Connection.open(Number(port)), head)
  }

  /** Answers the status and, as text, the body. */
  ask(body: object): Promise<{ status: number; text: string; ms: number }> {
    // In ASCII, so that characters are bytes.
    const text = JSON.stringify(body).replace(
      /[^\x20-\x7e]/g,
      character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    const sentMs = performance.now()
    return new Promise((resolve, reject) => {
      this.#connection.send(
        `${this.#head}Content-Length: ${text.length}\r\n\r\n${text}`,
        (status, answer) => resolve({ status, text: answer.toString(), ms: performance.now() - sentMs }),
        reject,
      )
    })
  }

  close(): void {
    this.#connection.close()
  }
}

export function quantile(all: readonly number[], part: number): number {
  const sorted = [...all].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
