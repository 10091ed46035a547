/**
 * Makes the pages for browsers, each one script and one style sheet beside its HTML: users need no build step, and the pages load
 * nothing from elsewhere. Run by `npm run generate`.
 */
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Returns the licence of a package as a comment: it has to be in every copy. */
async function licenceOf(name: string): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  return `/*! ${name}\n${await readFile(join(folder, 'LICENSE'), 'utf8')}*/`
}
