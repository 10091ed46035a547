import type { Random } from '../base/random.ts'
import {
  BoxError,
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

/** For how many salts the subkeys are kept that opened boxes: of the newest hundred thousand boxes, about. */
const mostSubkeys = 128

/**
 * Seals and opens the boxes of one data key, and derives a subkey once for many of them: of the 9 µs that a box
 * costs, deriving is 3. Boxes sealed one after the other share a salt; boxes that others sealed, or this process
 * before a restart, open all the same, as every box carries its salt.
 */
export class Sealer {
  readonly #key: SealingKey
  readonly #random: Random
  #subkey: Subkey | undefined
  /** How many boxes more may be sealed under it. */
  #left = 0
  /** By salt, the longest kept first. */
  readonly #subkeys = new Map<string, Subkey>()

  constructor(key: SealingKey, random: Random) {
    this.#key = key
    this.#random = random
  }

  seal(context: string, plain: Uint8Array): Uint8Array {
    if (!this.#subkey || this.#left === 0) {
      this.#subkey = drawSubkey(this.#key, this.#random)
      this.#left = boxesPerSalt
    }
    this.#left--
    return sealUnder(this.#subkey, context, plain, this.#random)
  }

  /** @throws {BoxError} */
  open(context: string, box: Uint8Array): Uint8Array {
    if (keyVersionOf(box) !== this.#key.version) {
      throw new BoxError('the box was sealed under another key version')
    }
    return openUnder(this.#subkeyFor(saltOf(box)), context, box)
  }

  #subkeyFor(salt: Uint8Array): Subkey {
    const name = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1')
    const known = this.#subkeys.get(name)
    if (known) return known
    const [oldest] = this.#subkeys.size < mostSubkeys ? [] : this.#subkeys.keys()
    if (oldest !== undefined) this.#subkeys.delete(oldest)
    const derived = deriveSubkey(this.#key, Uint8Array.from(salt))
    this.#subkeys.set(name, derived)
    return derived
  }
}
