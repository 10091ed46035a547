import { readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import type { BuildOptions, Message, Metafile, Plugin } from 'esbuild'
import { OperatorError } from '../../base/operator-error.ts'
import { decodeText } from '../../base/utf8.ts'
import type { BundleCache } from './bundle-cache.ts'
import { formulaModules, imitatedModules } from './module-names.ts'

/** A package cannot be provided to formulas. The message is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

const withPrefix = (names: readonly string[]) =>
  names.flatMap(name => (isBuiltin(name) ? [name, `node:${name}`] : [name]))
/** Modules that every formula may require; a package that requires them gets these, too. */
export const ours = withPrefix(formulaModules)
/** Modules that work as in Node. */
const complete = withPrefix(
  formulaModules.filter(name => name === 'url' || !imitatedModules.some(one => one === name)),
)
const longest = 4 * 1024 * 1024
const unknown = 'it cannot be bundled'

interface Build extends BuildOptions {
  /** True to let it have the imitations of modules of Node. */
  readonly imitates?: boolean
}

/**
 * The builds of a package, best first: one for servers without Node, or the only one; then those for browsers, if the
 * first needs modules of Node that formulas do not have as they are. Of these the last is for bundlers: others may be for
 * pages, where they define a global and export nothing. A build for Node comes last, as it takes longest to load.
 */
const builds: readonly Build[] = [
  { platform: 'neutral', mainFields: ['main', 'module'], conditions: ['workerd', 'worker'] },
  { platform: 'browser' },
  { platform: 'browser', mainFields: ['module', 'browser', 'main'] },
  { platform: 'neutral', mainFields: ['main', 'module'], conditions: ['node'], imitates: true },
]

interface Bundling {
  readonly root: string
  /** Begins the message of a refusal. */
  readonly what: string
  readonly alias: Readonly<Record<string, string>>
  readonly cache?: BundleCache | undefined
  /** Called if the module is not in the cache. */
  readonly onBundled?: () => void
}

/** Returns a module as one text, with all that it needs. @throws {FormulaModuleRefused} */
export async function bundle(
  target: string,
  { root, what, alias, cache, onBundled }: Bundling,
): Promise<string> {
  // A build of ECMAScript modules is required as one of CommonJS would be: what it exports by default is all of it.
  const contents = `
    const made = require(${JSON.stringify(target)}), whole = made && made.__esModule && made.default
    module.exports = typeof whole === 'function' ? Object.defineProperties(whole, Object.getOwnPropertyDescriptors(made)) : made`
  const entry = cache?.entry([contents, root, alias, builds])
  const cached = entry?.read()
  if (cached !== undefined) return cached
  // Loaded only for modules that are not in the cache.
  const [{ build }, { rewrite }] = await Promise.all([import('esbuild'), import('./rewrite.ts')])
  let text: string | undefined
  let files: string[] = []
  let reason = unknown
  for (const { imitates, ...platform } of builds) {
    const made = await build({
      ...platform,
      stdin: { contents, resolveDir: root, loader: 'js' },
      bundle: true,
      write: false,
      format: 'cjs',
      external: imitates ? ours : complete,
      ...aliasing(alias, root),
      absWorkingDir: root,
      metafile: true,
      target: 'es2021',
      legalComments: 'none',
      minifySyntax: true,
      define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': '"file:///module.js"' },
      logLevel: 'silent',
    }).catch((error: { errors?: Message[] }) => {
      // What the build for Node lacks is what the operator wants to know, if there is no other.
      if (imitates && reason === unknown) reason = reasonOf(error.errors ?? [])
    })
    text = made?.outputFiles[0]?.text
    if (!made || text === undefined) continue
    files = Object.keys(made.metafile.inputs)
    if (exportsAny(made.metafile)) break
    reason = 'it exports nothing'
    text = undefined
  }
  const inputs = files
    .filter(file => file !== '<stdin>')
    .map(file => resolve(root, file.replace(/^\(disabled\):/, '')))
  // The bundler puts U+FFFD in the place of bytes that are not UTF-8, and does not parse UTF-16.
  for (const file of [resolve(root, target), ...inputs]) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile())
      decodeText(readFileSync(file), `${what}: ${file}`)
  }
  if (text === undefined) throw new FormulaModuleRefused(`${what}: ${reason}`)
  if (text.length > longest) throw new FormulaModuleRefused(`${what}: it is longer than ${longest} bytes`)
  try {
    text = rewrite(text)
  } catch {
    throw new FormulaModuleRefused(`${what}: it cannot be parsed`)
  }
  onBundled?.()
  entry?.write(text, inputs)
  return text
}

/**
 * Aliases as the bundler takes them, by which the rest of a path follows the name. A name that stands for a file of its
 * own package is replaced only where it is the whole path: the file's path begins with it, too.
 */
function aliasing(
  alias: Readonly<Record<string, string>>,
  root: string,
): Pick<BuildOptions, 'alias' | 'plugins'> {
  const isOwn = ([name, target]: [string, string]) => target.startsWith(`${name}/`)
  const entries = Object.entries(alias)
  const own: Plugin = {
    name: 'files of their own packages',
    setup(bundler) {
      for (const [name, target] of entries.filter(isOwn)) {
        bundler.onResolve({ filter: new RegExp(`^${escapeText(name)}$`) }, ({ kind }) =>
          bundler.resolve(target, { kind, resolveDir: root }),
        )
      }
    },
  }
  return { alias: Object.fromEntries(entries.filter(entry => !isOwn(entry))), plugins: [own] }
}

const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** True if the bundled module is a CommonJS or ECMAScript module, or JSON; false if it is a script for pages. */
function exportsAny({ inputs }: Metafile): boolean {
  const [entry] = inputs['<stdin>']?.imports ?? []
  const module = entry && inputs[entry.path]
  return module === undefined || module.format !== undefined || !/\.[cm]?js$/.test(entry?.path ?? '')
}

function reasonOf(errors: readonly Message[]): string {
  const texts = errors.map(({ text }) => text)
  const missing = texts.flatMap(text => /^Could not resolve "([^"]+)"/.exec(text)?.[1] ?? [])
  const ofNode = [...new Set(missing.filter(name => isBuiltin(name)))].slice(0, 5)
  if (ofNode.length === 0) return texts[0] ?? unknown
  return `it needs ${ofNode.join(', ')} of Node, which formulas do not have`
}
