import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { instrument, type SourceMutant } from './instrument.ts'
import { isMutated } from './places.ts'
import { mutatedBackend, validatorMutants } from './validator-mutants.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const sources = join(root, 'server/src')

export interface Built {
  /** The program that runs cases against mutants. */
  readonly program: string
  readonly mutants: readonly SourceMutant[]
  remove(): Promise<void>
}

/**
 * Builds our server with all its source mutants switched off, and the suite with it, as one program.
 * @param notes true for a program that only notes which mutants make a difference to which case
 */
export async function buildMutants(notes = false): Promise<Built> {
  const folder = join(root, '.compiled', `mutants-${process.pid}${notes ? '-notes' : ''}`)
  const generated = join(folder, 'generated')
  await mkdir(folder, { recursive: true })
  await cp(join(sources, 'generated'), generated, { recursive: true })
  const mutants: SourceMutant[] = []
  const add = (made: { readonly text: string; readonly mutants: readonly SourceMutant[] }) => {
    mutants.push(...made.mutants)
    return made.text
  }
  const validators = validatorMutants(pathToFileURL(join(generated, 'requests.json')))
  mutants.push(...validators.mutants)
  await rename(join(generated, 'openapi-backend.cjs'), join(generated, 'openapi-backend.original.cjs'))
  await writeFile(join(generated, 'openapi-backend.cjs'), mutatedBackend(validators.schemas))
  await build({
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
    absWorkingDir: root,
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    outdir: folder,
    define: { 'import.meta.url': sourceUrl },
    plugins: [loadingSources(generated, add, () => mutants.length, notes)],
  })
  return {
    program: join(folder, 'worker.js'),
    mutants,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const sourceUrl = 'urlOfTheSource'

/** Instruments the files of the server, and has all files find what lies beside their source. */
function loadingSources(
  generated: string,
  add: (made: ReturnType<typeof instrument>) => string,
  count: () => number,
  notes: boolean,
): Plugin {
  const load = async (path: string) => {
    const file = relative(sources, path)
    const text = await readFile(path, 'utf8')
    if (file === 'generated-files.ts')
      return `export const generatedFiles = new URL(${JSON.stringify(`${pathToFileURL(generated).href}/`)})`
    const made = isMutated(file) ? add(instrument(file, text, count(), notes)) : text
    return `const ${sourceUrl} = ${JSON.stringify(pathToFileURL(path).href)}; const { __mutant, __note } = globalThis; ${made}`
  }
  // One file after the other, so that each has its own numbers.
  let last: Promise<unknown> = Promise.resolve()
  return {
    name: 'loading-sources',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        const loaded = last.then(() => load(path))
        last = loaded
        return loaded.then(contents => ({ contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }))
      }),
  }
}
