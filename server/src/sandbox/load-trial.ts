import type { Pool } from './processes/pool.ts'

const tenant = 'start'
/** Longer than any package takes that formulas could use. */
const timeoutMs = 60_000

/** A formula that loads code as a module, and answers whether it exports anything. */
const code = `module.exports = ({ args }) => {
  const module = { exports: {} }
  const load = new Function('module', 'exports', 'require', '__filename', '__dirname', args)
  load(module, module.exports, require, '/formula.js', '/')
  const made = module.exports
  return { raw: typeof made === 'object' ? made !== null && Reflect.ownKeys(made).length > 0 : made !== undefined }
}`

/** Loads code of modules in a process like those of formulas, one after the other, to choose among the builds of a package. */
export class LoadTrial {
  readonly #makePool: () => Promise<Pool>
  #pool: Promise<Pool> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(makePool: () => Promise<Pool>) {
    this.#makePool = makePool
  }

  /** True if a formula can load this code. Where no process can be started, nothing can be said against it. */
  loads(module: string): Promise<boolean> {
    const loaded = this.#last.then(() => this.#load(module)).catch(() => true)
    this.#last = loaded
    return loaded
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined)
    await pool?.close()
  }

  async #load(module: string): Promise<boolean> {
    this.#pool ??= this.#makePool()
    const pool = await this.#pool
    const process = await pool.take(tenant)
    const input = { args: module, configuration: {} }
    const limits = { timeoutMs, lane: 'async', depth: 0 } as const
    const running = process.run(
      { tenant, code, svc: null, ...input, ...limits },
      Buffer.from(JSON.stringify(input), 'utf8'),
    )
    pool.afterRun(process, () => {})
    const outcome = await running
    return outcome.kind === 'answered' && outcome.raw === true
  }
}
