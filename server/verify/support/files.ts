import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the paths of all files in a folder and those below it. */
export const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** Returns what all files in a folder and those below it hold. */
export const bytesUnder = (folder: string): Buffer =>
  Buffer.concat(filesUnder(folder).map(path => readFileSync(path)))
