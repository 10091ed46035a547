/** How a value was written where it was found; of one spelling within another, the outer one. */
export type Spelling = 'plain' | 'separated' | 'base64' | 'hex' | 'url' | 'json' | 'html' | 'utf16' | 'gzip'

/** What a text says when a part of it is decoded. */
export interface Layer {
  readonly text: string
  /** Returns the position in the encoded text of what is at a position of this one. */
  offsetOf(at: number): number
  /** Returns how the text between two positions of the encoded text is encoded. */
  spellingOf(from: number, to: number): Spelling
}

/** Stands between parts of a layer that were not side by side. It is in no value, as it is no character. */
export const gap = '\uffff'

/** Pieces of a text, and where each was. */
export class Pieces {
  #text: string[] = []
  #length = 0
  /** The beginnings of pieces here and there, in order. */
  readonly #here: number[] = []
  readonly #there: number[] = []
  readonly #widths: number[] = []

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** @param width the units of the encoded text for one of this */
  add(text: string, there: number, width = 1): void {
    this.#here.push(this.#length)
    this.#there.push(there)
    this.#widths.push(width)
    this.#text.push(text)
    this.#length += text.length
  }

  toLayer(spellingOf: Layer['spellingOf']): Layer {
    const text = this.#text.join('')
    return { text, spellingOf, offsetOf: at => this.#offsetOf(at) }
  }

  #offsetOf(at: number): number {
    let [low, high] = [0, this.#here.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#here[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return Math.floor((this.#there[low] ?? 0) + (at - (this.#here[low] ?? 0)) * (this.#widths[low] ?? 1))
  }
}
