import type { ConsoleLine } from '../sandbox/sandbox.ts'

export interface PrintedText {
  readonly level: string
  readonly text: string
}

/** As the contract says. */
const most = 100
const mostCharacters = 16_000

/** The first lines that one run of a formula printed, up to a number and a length. */
export class Printed {
  readonly lines: PrintedText[] = []
  #left = mostCharacters

  add({ level, text }: ConsoleLine): void {
    if (this.lines.length >= most || this.#left <= 0) return
    const shown = text.slice(0, this.#left)
    this.lines.push({ level, text: shown })
    this.#left -= shown.length
  }
}
