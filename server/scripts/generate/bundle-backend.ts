import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const root = path('../../../')

/** Packages of openapi-backend for documents that are not prepared, and for requests and responses that it would make. */
const unusedPackages = [
  ...['@apidevtools/json-schema-ref-parser', 'dereference-json-schema', 'openapi-schema-validator'],
  ...['bath-es5', 'cookie', 'mock-json-schema', 'qs'],
]

const unused: Plugin = {
  name: 'unused',
  setup: ({ onResolve, onLoad }) => {
    const filter = new RegExp(`^(${unusedPackages.join('|')})$`)
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }))
    // Its members are bound when it is loaded.
    onLoad({ filter: /./, namespace: 'unused' }, () => ({
      contents: 'module.exports = { dereference() {}, resolve() {}, parse() {} }',
    }))
  },
}

/** Bundles openapi-backend's router and validator, and ajv. Their licenses ask for a copy of them. */
export async function bundleBackend(generated: URL): Promise<void> {
  const outfile = fileURLToPath(new URL('openapi-backend.cjs', generated))
  const { metafile } = await build({
    entryPoints: [path('../../src/contract/libraries.ts')],
    outfile,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [unused],
  })
  const packages = Object.keys(metafile.inputs).flatMap(
    file => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.slice(0, 2).join('\n') ?? [],
  )
  const texts = [...new Set(packages)].sort().map(async one => {
    const [folder = '', name = ''] = one.split('\n')
    return `${name}\n\n${await license(`${root}${folder}`)}`
  })
  await writeFile(outfile.replace('.cjs', '.LICENSE.txt'), (await Promise.all(texts)).join('\n'))
}

async function license(folder: string): Promise<string> {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'README.md']) {
    const text = await readFile(`${folder}${name}`, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
  }
  throw new Error(`no license in ${folder}`)
}
