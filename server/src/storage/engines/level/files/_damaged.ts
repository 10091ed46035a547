import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Level } from 'level'
import { digest, get, insert, mustCommit } from '../../../port/port.samples.ts'
import type { Store } from '../../../port/port.ts'
import { LevelStore } from '../level-store.ts'
import type { LevelDb } from '../leveldb.ts'

/** A box that nobody could mistake for another, and that compresses as badly as a sealed one. */
const boxOf = (name: string, bytes: number): Buffer =>
  Buffer.from(Array.from({ length: Math.ceil(bytes / 22) }, (_, part) => digest(`${name}.${part}`)).join(''))

/** A folder with documents whose commits were answered, one batch each; all of it is in the log. */
export async function fillFolder(folder: string, count: number, boxBytes = 400): Promise<string[]> {
  const store = await LevelStore.open(folder)
  const names = Array.from({ length: count }, (_, index) => `document-${index}`)
  for (const name of names) {
    await mustCommit(store, [insert(name, { terms: ['x', name], box: boxOf(name, boxBytes) })])
  }
  await store.close()
  return names
}

/**
 * Writes everything of the log and of tables into new tables.
 * @param compression as in folders that earlier servers filled
 */
export async function compactFolder(folder: string, compression = false): Promise<void> {
  const level = new Level<string, Buffer>(folder, { compression }) as LevelDb
  await level.compactRange('!', '\x7f')
  await level.close()
}

/** Those that are there and are what they were. */
export async function intactOf(store: Store, names: readonly string[], boxBytes = 400): Promise<string[]> {
  const found = await get(store, ...names)
  return names.filter((name, index) => {
    const document = found[index]
    return document?.version === 1 && boxOf(name, boxBytes).equals(document.box)
  })
}

export async function fileIn(folder: string, pattern: RegExp): Promise<string> {
  const name = (await readdir(folder)).find(one => pattern.test(one))
  if (name === undefined) throw new Error(`there is no ${pattern}`)
  return name
}

/** Runs a task on a copy of the folder in which one file has other content. */
export async function withFile<Result>(
  folder: string,
  name: string,
  bytes: Buffer,
  task: (copy: string) => Promise<Result>,
): Promise<Result> {
  const copy = `${folder}.copy`
  await cp(folder, copy, { recursive: true })
  try {
    await writeFile(join(copy, name), bytes)
    return await task(copy)
  } finally {
    await rm(copy, { recursive: true })
  }
}

export function flipped(bytes: Buffer, at: number, bits = 1): Buffer {
  const other = Buffer.from(bytes)
  other[at] = (other[at] as number) ^ bits
  return other
}

export const readIn = (folder: string, name: string) => readFile(join(folder, name))
