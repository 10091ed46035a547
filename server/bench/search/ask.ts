import { Connection } from '../connection.ts'
import { type Posted, post } from '../post.ts'

/** One connection that asks one thing after another. */
export class Asker {
  readonly #connection: Connection
  readonly #path: string
  readonly #key: string

  private constructor(connection: Connection, path: string, key: string) {
    this.#connection = connection
    this.#path = path
    this.#key = key
  }

  static async open(url: string, path: string, key = ''): Promise<Asker> {
    return new Asker(await Connection.open(Number(new URL(url).port)), path, key)
  }

  async ask(body: object): Promise<Posted & { readonly ms: number }> {
    const sentMs = performance.now()
    const answer = await post(this.#connection, this.#key, this.#path, JSON.stringify(body))
    return { ...answer, ms: performance.now() - sentMs }
  }

  close(): void {
    this.#connection.close()
  }
}
