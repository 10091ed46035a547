import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../base/durable-file.ts'
import type { Random } from '../../base/random.ts'
import { documentKinds } from '../port/port.ts'
import { BackupDocuments, pageOf } from './backup-documents.ts'
import { FrameWriter } from './backup-frames.ts'
import type { Progress, Source } from './copy-store.ts'
import { BackupRefused } from './refusal.ts'
import { type Compared, compareStores } from './verify.ts'

/**
 * Writes all documents of a source into a new file, reads the file again and compares it with the source. The file has
 * its name only when all of it is right. Damaged documents of the source are left out, and returned.
 * @param source in one state, which does not change in the meantime
 * @throws {BackupRefused | CopyDiffers | StoreUnavailable}
 */
export async function writeBackup(
  source: Source,
  path: string,
  random: Random,
  onProgress: Progress,
): Promise<Compared> {
  const draft = `${path}.partial`
  const writer = await FrameWriter.create(draft, source.key, random).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'another backup writes it, or was cut off: remove it' : code
    throw new BackupRefused(`${draft} cannot be written (${reason})`)
  })
  try {
    try {
      await writer.end(await writePages(source, writer, onProgress))
    } finally {
      await writer.close()
    }
    const written = new BackupDocuments(draft, source.key)
    try {
      const compared = await compareStores(source, { documents: written, key: source.key }, records =>
        onProgress('compared', records),
      )
      await rename(draft, path)
      await syncFolder(dirname(path))
      return compared
    } finally {
      await written.close()
    }
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writePages({ documents }: Source, writer: FrameWriter, onProgress: Progress) {
  let count = 0
  for await (const tenant of documents.tenants()) {
    for (const [at, kind] of documentKinds.entries()) {
      // A tenant without documents is in the file, too.
      if (at === 0) await writer.write(pageOf({ kind, tenant }, []))
      for await (const page of documents.collection({ kind, tenant })) {
        const whole = page.filter(({ version }) => version > 0)
        await writer.write(pageOf({ kind, tenant }, whole))
        count += whole.length
        onProgress('copied', count)
      }
    }
  }
  return { documents: count }
}
