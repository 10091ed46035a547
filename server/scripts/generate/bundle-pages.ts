/**
 * Makes the pages for browsers, each one script and one style sheet beside its HTML: users need no build step, and the pages load
 * nothing from elsewhere. Run by `npm run generate`.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const source = new URL('../../src/', import.meta.url)
const generated = new URL('../../src/generated/', import.meta.url)

interface PageFiles {
  readonly from: URL
  readonly to: URL
  readonly script: string
  /** Name of the style sheet, and of the output's files. */
  readonly name: string
  readonly banner: string
}

/** @returns when the pages of the documentation and of development servers are made */
export async function bundlePages(): Promise<void> {
  const docs = { from: new URL('http/docs/', source), to: new URL('docs/', generated) }
  const dev = { from: new URL('dev/page/', source), to: new URL('dev-page/', generated) }
  await Promise.all([
    bundlePage({ ...docs, script: 'docs.js', name: 'docs', banner: '' }),
    bundlePage({ ...dev, script: 'main.tsx', name: 'page', banner: await licenceOf('preact') }),
  ])
  await compressScalar(docs.to)
}

async function bundlePage({ from, to, script, name, banner }: PageFiles): Promise<void> {
  await mkdir(to, { recursive: true })
  await copyFile(new URL('index.html', from), new URL('index.html', to))
  await build({
    entryPoints: [script, `${name}.css`].map(file => ({ in: fileURLToPath(new URL(file, from)), out: name })),
    outdir: fileURLToPath(to),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    banner: { js: banner },
    logLevel: 'warning',
  })
}

/** Writes the script that shows a contract. It comes whole in a package for servers, which needs a tenth of the others. */
async function compressScalar(to: URL): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference'))
  const script = await readFile(join(folder, 'js/standalone.js'), 'utf8')
  // Asks if code can be made from texts, which the page must not do.
  const question = 'return new Function(""),!0'
  if (script.split(question).length !== 2) throw new Error(`the script of Scalar has no single ${question}`)
  const licence = await readFile(join(folder, '../LICENSE'), 'utf8')
  await writeFile(
    new URL('scalar.js.gz', to),
    gzipSync(`/*! @scalar/api-reference\n${licence}*/\n${script.replace(question, 'return!1')}`, {
      level: 9,
    }),
  )
}

/** Returns the licence of a package as a comment: it has to be in every copy. */
async function licenceOf(name: string): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  return `/*! ${name}\n${await readFile(join(folder, 'LICENSE'), 'utf8')}*/`
}
