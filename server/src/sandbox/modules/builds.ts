import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import type { BuildOptions, Message, Metafile, Plugin } from 'esbuild'
import { formulaModules, imitatedModules } from './module-names.ts'
import { withData, withOwnErrors, withoutNativeCode } from './patches.ts'

const withPrefix = (names: readonly string[]) =>
  names.flatMap(name => (isBuiltin(name) ? [name, `node:${name}`] : [name]))
/** Modules that every formula may require; a package that requires them gets these, too. */
export const ours = withPrefix(formulaModules)
/** Modules that are as in Node. */
const complete = withPrefix(
  formulaModules.filter(name => name === 'url' || !imitatedModules.some(one => one === name)),
)
const longestBundle = 4 * 1024 * 1024

interface Build extends BuildOptions {
  /** True to let it have the imitations of modules of Node. */
  readonly imitates?: boolean
}

/**
 * The builds of a package, in the order in which they are tried: one for servers without Node, or the only one; then those
 * for browsers, if the first needs modules of Node that formulas do not have as they are. Of these the last is for bundlers:
 * others may be for pages, where they define a global and export nothing. A build for Node comes last, as it is the longest.
 */
export const builds: readonly Build[] = [
  { platform: 'neutral', mainFields: ['main', 'module'], conditions: ['workerd', 'worker'] },
  { platform: 'browser' },
  { platform: 'browser', mainFields: ['module', 'browser', 'main'] },
  { platform: 'neutral', mainFields: ['main', 'module'], conditions: ['node'], imitates: true },
]

/** A build of a module as one text, with the files that it was made of; or why it cannot be used. */
type Candidate =
  | { readonly text: string; readonly files: readonly string[] }
  | { readonly reason: string; readonly files: readonly string[] }

export interface ModuleSource {
  /** A package or a file. */
  readonly target: string
  /** The folder from which they are found. */
  readonly root: string
  /** Names that stand for others. */
  readonly alias: Readonly<Record<string, string>>
}

/** The code that is bundled: a build of ECMAScript modules is required as one of CommonJS would be, so what it exports by default is all of it. */
export const entryOf = (target: string) => `
    const made = require(${JSON.stringify(target)}), whole = made && made.__esModule && made.default
    module.exports = typeof whole === 'function' ? Object.defineProperties(whole, Object.getOwnPropertyDescriptors(made)) : made`

/** Makes one build. */
export async function buildOf(
  { imitates, ...platform }: Build,
  { target, root, alias }: ModuleSource,
): Promise<Candidate> {
  const { build } = await import('esbuild')
  let errors: readonly Message[] = []
  const made = await build({
    ...platform,
    stdin: { contents: entryOf(target), resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    format: 'cjs',
    external: imitates ? ours : complete,
    alias: Object.fromEntries(Object.entries(alias).filter(entry => !isOwnFile(entry))),
    plugins: [
      aliasOfOwnFiles(alias, root),
      withoutNativeCode,
      withOwnErrors,
      ...(imitates ? [withData] : []),
    ],
    absWorkingDir: root,
    metafile: true,
    target: 'es2021',
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': '"file:///module.js"' },
    logLevel: 'silent',
  }).catch((error: { errors?: Message[] }) => {
    errors = error.errors ?? []
  })
  const text = made?.outputFiles[0]?.text
  if (!made || text === undefined) return { reason: reasonOf(errors), files: [] }
  const files = Object.keys(made.metafile.inputs)
    .filter(file => file !== '<stdin>' && !file.startsWith('native:'))
    .map(file => resolve(root, file.replace(/^\(disabled\):/, '')))
  const reason = unusable(text, made.metafile, platform.platform === 'browser')
  return reason === undefined ? { text, files } : { reason, files }
}

/** Classes of pages that formulas do not have. A package that has a choice uses `fetch`. */
const sendsByPage = /\bnew (?:\w+\.)?XMLHttpRequest\b/
const readsByPage = /\bnew (?:DOMParser|FileReader)\b/

/** Returns why a build cannot be used, if it can be seen. */
function unusable(text: string, metafile: Metafile, isForBrowsers: boolean): string | undefined {
  if (!exportsAny(metafile)) return 'it exports nothing'
  if (text.length > longestBundle) return `it is longer than ${longestBundle} bytes`
  const isForPages = readsByPage.test(text) || (sendsByPage.test(text) && !/\bfetch\b/.test(text))
  if (isForBrowsers && isForPages) return 'it is for pages'
  return undefined
}

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
  if (ofNode.length === 0) return texts[0] ?? 'it cannot be bundled'
  return `it needs ${ofNode.join(', ')} of Node, which formulas do not have`
}

const isOwnFile = ([name, target]: [string, string]) => target.startsWith(`${name}/`)

/**
 * Names that stand for a file of their own package, where they are the whole path. The bundler would replace the name at
 * the beginning of the file's path, too.
 */
function aliasOfOwnFiles(alias: ModuleSource['alias'], root: string): Plugin {
  return {
    name: 'files of their own packages',
    setup(bundler) {
      for (const [name, target] of Object.entries(alias).filter(isOwnFile)) {
        bundler.onResolve({ filter: new RegExp(`^${escapeText(name)}$`) }, ({ kind }) =>
          bundler.resolve(target, { kind, resolveDir: root }),
        )
      }
    },
  }
}

const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
