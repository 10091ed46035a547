import { type FileHandle, open as openFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../base/durable-file.ts'
import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import { joined } from '../../crypto/digest.ts'
import { deriveSubkey, open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { type Compared, compareStores, type Side } from './compare.ts'
import type { Progress } from './copy-store.ts'
import type { Documents, WalkedPage } from './walk.ts'

/** A file that is not a whole backup, or not one of this master key; or a backup that cannot be made. */
export class BackupRefused extends OperatorError {
  override readonly name = 'BackupRefused'
}

/*
 * A backup file:
 *   "surrogate-backup 1\n" | id of the file (16) | frames: length u32, big-endian | box
 * Each frame is a page of documents as JSON, boxes in base64, sealed under a key of the file, which is derived from the
 * master key and the id. Its context is its number and if it is the last: a frame that was changed, moved, left out or
 * taken from another file does not open, and a file that was cut off has no last frame.
 */
const magic = Buffer.from('surrogate-backup 1\n')
const idLength = 16
const headerLength = magic.length + idLength
/** A page of documents has 2 MB and up to four documents more, in base64. */
const mostFrameBytes = 64 << 20

const contextOf = (number: number, isLast: boolean) => joined(['backup', String(number), String(isLast)])

/** The key that seals the frames of a file. */
function keyOf(master: SealingKey, id: Uint8Array): SealingKey {
  return { version: master.version, key: deriveSubkey(master, id).key }
}

/**
 * Writes all documents of a source into a new file, reads the file again and compares it with the source. The file has
 * its name only when all of it is right. Damaged documents of the source are left out, and returned.
 * @param source in one state, which does not change in the meantime
 * @throws {BackupRefused | CopyDiffers | StoreUnavailable}
 */
export async function writeBackup(
  source: Side,
  path: string,
  random: Random,
  onProgress: Progress,
): Promise<Compared> {
  const draft = `${path}.partial`
  // Only the owner may read the file.
  const file = await openFile(draft, 'wx', 0o600).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'another backup writes it, or was cut off: remove it' : code
    throw new BackupRefused(`${draft} cannot be written (${reason})`)
  })
  try {
    try {
      await writeFrames(file, source, random, onProgress)
    } finally {
      await file.close()
    }
    const written = { documents: documentsOf(draft, source.key), key: source.key }
    const compared = await compareStores(source, written, records => onProgress('compared', records))
    await rename(draft, path)
    await syncFolder(dirname(path))
    return compared
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Returns when the file survives a power failure. */
async function writeFrames(
  file: FileHandle,
  { documents, key: master }: Side,
  random: Random,
  onProgress: Progress,
): Promise<void> {
  const id = random.bytes(idLength)
  const key = keyOf(master, id)
  await file.write(Buffer.concat([magic, id]))
  let frames = 0
  const write = async (content: unknown, isLast = false) => {
    const box = seal(key, contextOf(frames++, isLast), Buffer.from(JSON.stringify(content)), random)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(box.length)
    await file.writev([length, box])
  }
  let count = 0
  for await (const page of documents()) {
    const whole = page.documents.filter(({ version }) => version > 0)
    await write({ ...page, documents: whole.map(({ box, ...rest }) => ({ ...rest, box: textOf(box) })) })
    count += whole.length
    onProgress('copied', count)
  }
  await write({ documents: count }, true)
  await file.sync()
}

const textOf = (box: Uint8Array) => Buffer.from(box).toString('base64')

/**
 * The documents in a backup. Reading them throws `BackupRefused`.
 * @param key the master key of the store that was backed up
 */
export const documentsOf = (path: string, key: SealingKey): Documents =>
  async function* () {
    for await (const text of readFrames(path, key)) {
      const page = JSON.parse(text) as WalkedPage & { documents: { box: string }[] }
      const documents = page.documents.map(({ box, ...rest }) => ({
        ...rest,
        box: Buffer.from(box as never, 'base64'),
      }))
      yield { ...page, documents } as WalkedPage
    }
  }

/** Yields the content of all frames but the last. @throws {BackupRefused} */
async function* readFrames(path: string, master: SealingKey): AsyncGenerator<string> {
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
        yield next.toString()
        continue
      }
      const last = box && open(key, contextOf(number, true), box)
      if (last && at === size) return
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
