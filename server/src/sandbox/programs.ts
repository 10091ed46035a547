import { readFile } from 'node:fs/promises'
import { generatedFiles } from '../generated-files.ts'

/** The texts that `npm run generate` makes, as a process is given them. */
export interface Programs {
  readonly boot: string
  readonly runner: Uint8Array
  readonly prepare: Uint8Array
  readonly classes: Uint8Array
  readonly client: Uint8Array
}

/** @throws when the build is not complete */
export async function readPrograms(): Promise<Programs> {
  const read = (name: string) => readFile(new URL(`sandbox/${name}.js`, generatedFiles))
  const [boot, runner, prepare, classes, client] = await Promise.all([
    read('boot'),
    read('runner'),
    read('prepare'),
    read('classes'),
    read('client'),
  ])
  return { boot: boot.toString('utf8'), runner, prepare, classes, client }
}
