import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const mostFiles = 100_000

export interface FoundFile {
  readonly file: string
  read(): AsyncIterable<Uint8Array>
}

/** Finds a file, or all files in a folder and those below it, in the order of their names. Links are not followed. */
export async function* filesIn(path: string): AsyncGenerator<FoundFile> {
  let count = 0
  const within = async function* (path: string): AsyncGenerator<FoundFile> {
    const found = await lstat(path)
    if (found.isFile()) {
      if (++count > mostFiles) throw new Error(`there are more than ${mostFiles} files`)
      yield { file: path, read: () => createReadStream(path) }
    }
    if (!found.isDirectory()) return
    for (const name of (await readdir(path)).sort()) yield* within(join(path, name))
  }
  yield* within(path)
}
