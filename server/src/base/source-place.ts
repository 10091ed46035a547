import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source maps of built files. Read when an error is described for the first time, as each start would be slower. */
const maps = new Map<string, SourceMap | undefined>()

function mapOf(path: string): SourceMap | undefined {
  if (!maps.has(path)) maps.set(path, readMap(path))
  return maps.get(path)
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Returns the name and line of the source that a place in a built file was made from, such as `create.ts:27`: the built
 * server is a bundle, whose names and lines mean nothing to a reader. A file without a source map is named itself.
 */
export function sourcePlace(file: string, line: number, column: number): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  const entry = mapOf(path)?.findEntry(line - 1, column - 1)
  return entry && 'originalSource' in entry
    ? `${basename(entry.originalSource)}:${entry.originalLine + 1}`
    : `${basename(path)}:${line}`
}
