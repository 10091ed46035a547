/**
 * Makes the pages for browsers, each one script beside its HTML and CSS: users need no build step, and the pages load
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
  /** Names of the output's files: HTML and CSS are copied. */
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
  for (const file of ['index.html', `${name}.css`]) await copyFile(new URL(file, from), new URL(file, to))
  await build({
    entryPoints: [fileURLToPath(new URL(script, from))],
    outfile: fileURLToPath(new URL(`${name}.js`, to)),
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
