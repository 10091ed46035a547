import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { instrument, switchName } from './instrument.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const sources = join(root, 'server/src')

/** Folders with the rules that callers see. Others keep bytes, processes and sockets. */
const folders =
  /^(access|contract|formulas|http\/(handlers|pipeline)|reactors|search|sessions|tokens|webhooks)\//

export const isMutated = (file: string): boolean =>
  folders.test(file) && /\.ts$/.test(file) && !/\.(test|cases)\.ts$|(^|\/)_[^/]+$/.test(file)

export interface Built {
  /** The program that runs cases against a mutant. */
  readonly program: string
  /** Names of mutants; each has its place as its number. */
  readonly mutants: readonly string[]
  remove(): void
}

/** Builds our server with all its mutants switched off, and the suite with it, as one program. */
export async function buildMutants(): Promise<Built> {
  const folder = join(root, '.compiled', `mutants-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const mutants: string[] = []
  const url = 'urlOfTheSource'
  const withMutants: Plugin = {
    name: 'with-mutants',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
        let text = readFileSync(path, 'utf8')
        const file = relative(sources, path)
        if (isMutated(file)) {
          const made = instrument(file, text, mutants.length)
          mutants.push(...made.mutants)
          text = made.text
        }
        // Keeps `import.meta.url` that of the source, for code that reads files next to it.
        const before = `const ${url} = ${JSON.stringify(pathToFileURL(path).href)}; const { ${switchName} } = globalThis;`
        return { contents: before + text, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      }),
  }
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
    define: { 'import.meta.url': url },
    plugins: [withMutants],
  })
  return {
    program: join(folder, 'worker.js'),
    mutants,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
