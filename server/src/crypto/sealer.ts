import { ClearingCache } from '../base/cache.ts'
import type { Random } from '../base/random.ts'
import {
  boxesPerSalt,
  deriveSubkey,
  drawSubkey,
  keyVersionOf,
  openUnder,
  type SealingKey,
  type Subkey,
  saltOf,
  sealUnder,
} from './envelope.ts'

/** Subkeys kept for opening boxes: enough for about the newest hundred thousand boxes. */
const mostSubkeys = 128

/**
 * Seals and opens the boxes of one data key. Derives a subkey once for many boxes, as that is 3 of the 9 µs that a
 * box takes. Consecutive boxes share a salt. Every box carries its salt, so boxes sealed by other processes open too.
 */
export class Sealer {
  readonly #key: SealingKey
  readonly #random: Random
  #subkey: Subkey | undefined
  /** Number of boxes that may still be sealed under it. */
  #left = 0
  /** By salt. */
  readonly #subkeys = new ClearingCache<string, Subkey>(mostSubkeys)

  constructor(key: SealingKey, random: Random) {
    this.#key = key
    this.#random = random
  }

  seal(context: string, plain: string | Uint8Array): Uint8Array {
    if (!this.#subkey || this.#left === 0) {
      this.#subkey = drawSubkey(this.#key, this.#random)
      this.#left = boxesPerSalt
    }
    this.#left--
    return sealUnder(this.#subkey, context, plain, this.#random)
  }

  /** Opens a box. Returns `undefined` if it was sealed under another key, moved, or changed. */
  open(context: string, box: Uint8Array): Uint8Array | undefined {
    if (keyVersionOf(box) !== this.#key.version) return undefined
    return openUnder(this.#subkeyFor(saltOf(box)), context, box)
  }

  #subkeyFor(salt: Uint8Array): Subkey {
    const name = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1')
    return this.#subkeys.of(name, () => deriveSubkey(this.#key, Uint8Array.from(salt)))
  }
}
