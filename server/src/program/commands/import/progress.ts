import { readFile } from 'node:fs/promises'
import { writeDurably } from '../../../base/durable-file.ts'
import { systemRandom } from '../../../base/random.ts'
import { ConfigError } from '../../config-error.ts'

/** What a file of progress holds: numbers of lines, and nothing of what is in them. */
interface State {
  /** Part of the idempotency keys. Random, as values could be guessed by a digest of a short file. */
  readonly id: string
  /** Tells the imported file and its template from others. */
  readonly source: string
  /** All records up to this line are done. */
  done: number
  /** Lines behind it that are done. */
  beyond: readonly number[]
  created: number
  refused: number
}

/** The number of records after which the progress is written. */
const recordsPerWrite = 200

/** The most records that are begun before the first of them is done. */
const mostBegun = 1_000

/** Keeps which lines of a file are imported, so that an import can go on after it was interrupted. */
export class Progress {
  readonly #file: string
  readonly #state: State
  readonly #beyond: Set<number>
  /** Lines that were begun, in their order. */
  readonly #begun: number[] = []
  #unwritten = 0
  #writing: Promise<void> = Promise.resolve()

  private constructor(file: string, state: State) {
    this.#file = file
    this.#state = state
    this.#beyond = new Set(state.beyond)
  }

  /** @throws {ConfigError} if the file is that of another import, or cannot be read or written */
  static async open(file: string, source: string): Promise<Progress> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw new ConfigError(`the file ${file} of --progress cannot be read`)
    })
    const state = text === undefined ? undefined : readState(text)
    if (state?.source === source) return new Progress(file, state)
    if (text !== undefined && (!state || state.created + state.refused > 0)) {
      throw new ConfigError(
        `${file} is not the progress of this file and template; remove it, or name another one`,
      )
    }
    const id = systemRandom().uuid()
    const progress = new Progress(file, { id, source, done: 0, beyond: [], created: 0, refused: 0 })
    // Before the first request: another id would create its token again.
    await progress.write()
    return progress
  }

  get counts(): Readonly<Pick<State, 'created' | 'refused'>> {
    return this.#state
  }

  /** Returns the idempotency key of a line. */
  keyOf(line: number): string {
    return `import-${this.#state.id}-${line}`
  }

  isDone(line: number): boolean {
    return line <= this.#state.done || this.#beyond.has(line)
  }

  /** True if no line should be begun before an earlier one is done. */
  get isFull(): boolean {
    return this.#begun.length >= mostBegun
  }

  begin(line: number): void {
    this.#begun.push(line)
  }

  async end(line: number, outcome: 'created' | 'refused'): Promise<void> {
    this.#state[outcome]++
    this.#beyond.add(line)
    while (this.#begun.length > 0 && this.#beyond.has(this.#begun[0] as number)) {
      this.#state.done = this.#begun.shift() as number
    }
    if (++this.#unwritten >= recordsPerWrite) await this.write()
  }

  /** One write at a time, as all have the same draft. */
  write(): Promise<void> {
    this.#unwritten = 0
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    for (const line of this.#beyond) if (line <= this.#state.done) this.#beyond.delete(line)
    this.#state.beyond = [...this.#beyond]
    await writeDurably(this.#file, `${JSON.stringify(this.#state)}\n`).catch(() => {
      throw new ConfigError(`the file ${this.#file} of --progress cannot be written`)
    })
  }
}

function readState(text: string): State | undefined {
  try {
    const state: Partial<State> | null = JSON.parse(text)
    const numbers = [state?.done, state?.created, state?.refused, ...(state?.beyond ?? [undefined])]
    const texts = [state?.id, state?.source]
    return numbers.every(Number.isSafeInteger) && texts.every(one => typeof one === 'string')
      ? (state as State)
      : undefined
  } catch {
    return undefined
  }
}
