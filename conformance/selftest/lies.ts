import { readdir } from 'node:fs/promises'
import type { Lie } from './tell.ts'

const folder = new URL('./lies/', import.meta.url)
const ending = '.lie.ts'

/** Every lie by the name of its file. */
export async function allLies(): Promise<ReadonlyMap<string, Lie>> {
  const names = (await readdir(folder)).filter(name => name.endsWith(ending)).sort()
  const lies = names.map(async file => {
    const name = file.slice(0, -ending.length)
    // Spelled out, so that what compiles the tests finds them all.
    const { lie } = (await import(`./lies/${name}.lie.ts`)) as { readonly lie: Lie }
    return [name, lie] as const
  })
  return new Map(await Promise.all(lies))
}
