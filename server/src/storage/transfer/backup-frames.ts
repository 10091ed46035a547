import { type FileHandle, open as openFile } from 'node:fs/promises'
import type { Random } from '../../base/random.ts'
import { joined } from '../../crypto/digest.ts'
import { deriveSubkey, open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { BackupRefused } from './refusal.ts'

/*
 * A backup file:
 *   "surrogate-backup 3\n" | id of the file (16) | frames: length u32, big-endian | box
 * Each frame is sealed under a key of the file, which is derived from the master key and the id. Its context is its
 * number and if it is the last: a frame that was changed, moved, left out or taken from another file does not open, and
 * a file that was cut off has no last frame.
 */
const magic = Buffer.from('surrogate-backup 3\n')
const idLength = 16
const headerLength = magic.length + idLength
/** A page of documents has 2 MB and up to four documents more, in base64. */
const mostFrameBytes = 64 << 20

const contextOf = (number: number, isLast: boolean) => joined(['backup', String(number), String(isLast)])

/** The key that seals the frames of a file. */
function keyOf(master: SealingKey, id: Uint8Array): SealingKey {
  return { version: master.version, key: deriveSubkey(master, id).key }
}

/** Writes the frames of a new file, one after the other. */
export class FrameWriter {
  readonly #file: FileHandle
  readonly #key: SealingKey
  readonly #random: Random
  #count = 0

  private constructor(file: FileHandle, key: SealingKey, random: Random) {
    this.#file = file
    this.#key = key
    this.#random = random
  }

  /** Only the owner may read the file. */
  static async create(path: string, master: SealingKey, random: Random): Promise<FrameWriter> {
    const file = await openFile(path, 'wx', 0o600)
    const id = random.bytes(idLength)
    await file.write(Buffer.concat([magic, id]))
    return new FrameWriter(file, keyOf(master, id), random)
  }

  async write(content: unknown, isLast = false): Promise<void> {
    const plain = Buffer.from(JSON.stringify(content))
    const box = seal(this.#key, contextOf(this.#count++, isLast), plain, this.#random)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(box.length)
    await this.#file.writev([length, box])
  }

  /** Returns when the file survives a power failure. */
  async end(content: unknown): Promise<void> {
    await this.write(content, true)
    await this.#file.sync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Reads the frames of a file. Returns the content of the last one. @throws {BackupRefused} */
export async function* readFrames(path: string, master: SealingKey): AsyncGenerator<unknown, unknown> {
  const file = await openFile(path, 'r').catch(() => {
    throw new BackupRefused(`the backup ${path} cannot be read`)
  })
  try {
    let at = 0
    const read = async (length: number) => {
      const bytes = Buffer.allocUnsafe(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled)
        if (bytesRead === 0) throw new BackupRefused(`the backup ${path} was cut off at byte ${at + filled}`)
        filled += bytesRead
      }
      at += length
      return bytes
    }
    const { size } = await file.stat()
    const header = size < headerLength ? undefined : await read(headerLength)
    if (!header?.subarray(0, magic.length).equals(magic))
      throw new BackupRefused(`${path} is not a backup of this version`)
    const key = keyOf(master, header.subarray(magic.length))
    for (let number = 0; ; number++) {
      const start = at
      const length = (await read(4)).readUInt32BE()
      const box = length > mostFrameBytes ? undefined : await read(length)
      const next = box && open(key, contextOf(number, false), box)
      if (next) {
        yield JSON.parse(next.toString())
        continue
      }
      const last = box && open(key, contextOf(number, true), box)
      if (last && at === size) return JSON.parse(last.toString())
      const isFirst = number === 0
      throw new BackupRefused(
        isFirst
          ? `the backup ${path} was made with another master key, or is damaged`
          : `the backup ${path} is damaged at byte ${last ? at : start}`,
      )
    }
  } finally {
    await file.close()
  }
}
