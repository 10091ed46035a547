import { readdir } from 'node:fs/promises'
import type { Lie } from './tell.ts'

const folder = new URL('./lies/', import.meta.url)

/** Every lie by the name of its file. */
export async function allLies(): Promise<ReadonlyMap<string, Lie>> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.lie.ts')).sort()
  const lies = names.map(async name => {
    const { lie } = (await import(new URL(name, folder).href)) as { readonly lie: Lie }
    return [name.slice(0, -'.lie.ts'.length), lie] as const
  })
  return new Map(await Promise.all(lies))
}
