import { Connection } from '../connection.ts'
import { type Posted, post } from '../post.ts'

/** A connection that sends one request after another. */
export class Client {
  #connection: Connection
  readonly #port: number
  readonly #path: string
  readonly #key: string

  private constructor(connection: Connection, port: number, path: string, key: string) {
    this.#connection = connection
    this.#port = port
    this.#path = path
    this.#key = key
  }

  static async open(url: string, path: string, key = ''): Promise<Client> {
    const port = Number(new URL(url).port)
    return new Client(await Connection.open(port), port, path, key)
  }

  async ask(body: object): Promise<Posted & { readonly ms: number }> {
    if (!this.#connection.isOpen) this.#connection = await Connection.open(this.#port)
    const sentMs = performance.now()
    const answer = await post(this.#connection, this.#key, this.#path, JSON.stringify(body))
    return { ...answer, ms: performance.now() - sentMs }
  }

  close(): void {
    this.#connection.close()
  }
}
