import type { Dice } from '../../support/dice.ts'
import { callOver } from '../../support/started-replicas.ts'
import type { TcpProxy } from '../../support/tcp-proxy.ts'
import type { Fleet } from './fleet.ts'

const operations = [
  'tokens.create',
  'tokens.get',
  'tokens.update',
  'tokens.delete',
  'tokens.list',
  'tokens.search',
]

/** The most time that a server is stopped for. */
const pauseMs = 1000

export interface Injecting {
  readonly fleet: Fleet
  /** Orders faults of the tenant under `--dev`. */
  readonly managementKey: string
  /** Between one of the servers and the database. */
  readonly proxy?: TcpProxy
}

/** Injects faults, one after the other, while clients work. */
export class Faults {
  readonly #dice: Dice
  readonly #injecting: Injecting
  readonly #underWay = new Set<Promise<void>>()
  #isReplacing = false
  readonly #counts = new Map<string, number>()
  readonly #errors: unknown[] = []

  constructor(dice: Dice, injecting: Injecting) {
    this.#dice = dice
    this.#injecting = injecting
  }

  /** How often each fault was injected. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort())
  }

  /** Begins the next fault. */
  inject(): void {
    const { fleet, proxy } = this.#injecting
    const severals = fleet.running.length > 1
    const [name, task] = this.#dice.weighted<readonly [string, () => Promise<void>]>([
      [4, ['kill -9', () => this.#kill()]],
      [2, ['closed without a response, not done', () => this.#order({ drop: 'before', times: 3 })]],
      [3, ['closed without a response, done', () => this.#order({ drop: 'after', times: 3 })]],
      [2, ['cut off in the response', () => this.#order({ truncate: 20, times: 3 })]],
      [1, ['503', () => this.#order({ status: 503, times: 5 })]],
      [2, ['delayed', () => this.#order({ latency: 20, times: 20 })]],
      [severals ? 2 : 0, ['stopped and continued', () => this.#pause()]],
      [proxy ? 3 : 0, ['database cut off before a commit', async () => this.#cut('before sending')]],
      [proxy ? 3 : 0, ['database cut off after a commit', async () => this.#cut('before answering')]],
    ])
    const running = task()
      .then(() => void this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1))
      .catch(error => void this.#errors.push(error))
      .finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
  }

  /** Removes ordered faults, and resolves when all servers work again. @throws what a fault failed with */
  async end(): Promise<void> {
    await Promise.all(this.#underWay)
    for (const { url } of this.#injecting.fleet.running) await this.#dev(url, 'DELETE')
    for (const error of this.#errors) throw error
  }

  async #kill(): Promise<void> {
    const { fleet } = this.#injecting
    if (this.#isReplacing) return
    this.#isReplacing = true
    try {
      await fleet.replace(this.#dice.pick(fleet.running))
    } finally {
      this.#isReplacing = false
    }
  }

  async #pause(): Promise<void> {
    const { fleet } = this.#injecting
    if (this.#isReplacing || fleet.running.length < 2) return
    const { process } = this.#dice.pick(fleet.running)
    process.signal('SIGSTOP')
    // By real time, as it may hold what everybody waits for.
    await new Promise(resolve => setTimeout(resolve, this.#dice.int(50, pauseMs)))
    process.signal('SIGCONT')
  }

  /** The next commit of the server behind the proxy is cut off. */
  #cut(at: 'before sending' | 'before answering'): void {
    void this.#injecting.proxy?.strike('cut', { at, pattern: /COMMIT\0/ })
  }

  async #order(fault: object): Promise<void> {
    const { url } = this.#dice.pick(this.#injecting.fleet.running) ?? {}
    const operation = this.#dice.pick(operations)
    if (url !== undefined) await this.#dev(url, 'POST', { ...fault, operation })
  }

  /** A server that has been killed meanwhile has no faults. */
  async #dev(url: string, method: string, body?: object): Promise<void> {
    const sent = callOver(url, this.#injecting.managementKey, method, '/_dev/faults', body)
    const reply = await sent.catch(() => undefined)
    if (reply && reply.status >= 300) throw new Error(`/_dev/faults: ${JSON.stringify(reply.json)}`)
  }
}
