/**
 * Bundles the command with its dependencies, the contract and the requirements into one file that needs only Node:
 * `node scripts/bundle.mjs dist/surrogate-conformance.mjs`. Run by `npm run build`.
 */
import { readFile } from 'node:fs/promises'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const path = name => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Puts the files that the package reads at run time into the bundle. */
const embedded = {
  name: 'embedded',
  setup({ onLoad }) {
    onLoad({ filter: /conformance[/\\]src[/\\]files\.ts$/ }, async () => {
      const names = ['package.json', 'openapi.yaml', 'requirements.yaml']
      const texts = await Promise.all(names.map(name => readFile(path(name), 'utf8')))
      const files = Object.fromEntries(names.map((name, index) => [name, texts[index]]))
      const parsed = await Promise.all(
        ['openapi', 'requirements', 'expressions', 'sections'].map(
          async name => `${name}: ${await readFile(path(`src/generated/${name}.json`), 'utf8')}`,
        ),
      )
      return {
        loader: 'js',
        contents: `const files = ${JSON.stringify(files)}
const parsed = { ${parsed.join(', ')} }
export const readPackageFile = name => files[name]
export const readContract = () => files['openapi.yaml']
export const readParsed = name => parsed[name]`,
      }
    })
    onLoad({ filter: /through[/\\]client\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const dynamic = "import(new URL('../generated/sdk.js', import.meta.url).href)"
      if (!text.includes(dynamic)) throw new Error(`${path} no longer loads the client as the bundle expects`)
      return { loader: 'ts', contents: text.replace(dynamic, "import('../generated/sdk.js')") }
    })
  },
}

/** @param outfile path of the bundle */
export const bundle = outfile =>
  build({
    entryPoints: [path('src/program.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The dependencies are CommonJS, and require Node's own modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    minifyWhitespace: true,
    plugins: [embedded],
    logLevel: 'warning',
  })

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await bundle(argv[2])
