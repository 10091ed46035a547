import type { Replica } from '../../support/started-replicas.ts'
import type { Servers } from './connection.ts'

/** Servers on the same data, each of which may be killed and started again. */
export class Fleet implements Servers {
  readonly #start: (place: number) => Promise<Replica>
  readonly #running: (Replica | undefined)[]
  #waiting: (() => void)[] = []
  /** How servers ended that nobody has killed. */
  readonly deaths: string[] = []

  private constructor(start: (place: number) => Promise<Replica>, running: readonly Replica[]) {
    this.#start = start
    this.#running = [...running]
    for (const server of running) this.#watch(server)
  }

  /** @param start starts the server at a place, on the data of the one that was there before */
  static async open(start: (place: number) => Promise<Replica>, servers: number): Promise<Fleet> {
    const running: Replica[] = []
    // The first one creates the schema.
    for (let place = 0; place < servers; place++) running.push(await start(place))
    return new Fleet(start, running)
  }

  get running(): readonly Replica[] {
    return this.#running.filter(one => one !== undefined)
  }

  urls(): readonly string[] {
    return this.running.map(({ url }) => url)
  }

  async up(): Promise<void> {
    while (this.running.length === 0) await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Ends all servers with kill -9. */
  async kill(): Promise<void> {
    const running = this.#running.splice(0)
    await Promise.all(running.map(server => server?.process.end('SIGKILL')))
  }

  /** Ends a server with kill -9. Resolves when another one runs in its place. */
  async replace(server: Replica): Promise<void> {
    const place = this.#running.indexOf(server)
    this.#running[place] = undefined
    await server.process.end('SIGKILL')
    const next = await this.#startAgain(place)
    this.#running[place] = next
    this.#watch(next)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Starts a server as a supervisor would: again if it was cut off from its database while it started. */
  async #startAgain(place: number): Promise<Replica> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#start(place)
      } catch (error) {
        if (attempt === 5 || !/cannot be reached/.test(String(error))) throw error
      }
    }
  }

  #watch(server: Replica): void {
    void server.process.ended.then(({ code, stderr }) => {
      if (this.#running.includes(server))
        this.deaths.push(`a server ended with ${code}: ${stderr.slice(-2000)}`)
    })
  }
}
