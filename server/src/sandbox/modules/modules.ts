import { isBuiltin } from 'node:module'
import type { BuildOptions, Message, Metafile } from 'esbuild'
import { OperatorError } from '../../base/operator-error.ts'
import { clientModule, formulaModules } from './module-names.ts'

/** A package cannot be provided to formulas. The message is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*(\/[\w./-]+)?$/i
const filePath = /^\.{0,2}\//
/** Modules that every formula may require; a package that requires them gets these, too. */
const ours = formulaModules.flatMap(name => (isBuiltin(name) ? [name, `node:${name}`] : [name]))
const longest = 4 * 1024 * 1024

/**
 * The builds of a package, best first: one for servers without Node, or the only one; then those for browsers, if the
 * first needs modules of Node that formulas do not have. Of these the last is for bundlers: others may be for pages,
 * where they define a global and export nothing.
 */
const builds: readonly BuildOptions[] = [
  { platform: 'neutral', mainFields: ['main', 'module'], conditions: ['workerd', 'worker'] },
  { platform: 'browser' },
  { platform: 'browser', mainFields: ['module', 'browser', 'main'] },
]

/**
 * Bundles each package into one CommonJS text without modules of Node other than those that formulas have: a package that
 * uses files or the network of Node cannot be bundled.
 *
 * @param modules `name`, or `name=target` for a name that stands for another package, a file, or a module of ours
 * @param root the folder from which packages and files are found
 * @param client the file of the adapter for the client, which is bundled like a module
 * @throws {FormulaModuleRefused}
 */
export async function bundleModules(
  modules: readonly string[],
  root: string,
  client?: string,
): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>()
  for (const module of modules) {
    const { name, target } = readModule(module)
    if (targets.has(name)) throw new FormulaModuleRefused(`the module ${name} is given twice`)
    // The package is there already, as a module of ours.
    if (name !== target || !ours.includes(name)) targets.set(name, target)
  }
  const sources = [...targets.keys()].map(name => {
    const what = `the module ${name} cannot be provided to formulas`
    return { name, target: finalTarget(name, targets), what }
  })
  if (client !== undefined) {
    sources.push({
      name: clientModule,
      target: asFile(client),
      what: `the formula client ${client} cannot be used`,
    })
  }
  const bundles = new Map<string, string>()
  // Packages that require such a name get the same module. A file may itself require what it stands for.
  const alias = Object.fromEntries(
    sources
      .filter(({ name, target }) => name !== target && !filePath.test(target))
      .map(one => [one.name, one.target]),
  )
  for (const { name, target, what } of sources) bundles.set(name, await bundle(target, { root, what, alias }))
  return bundles
}

interface Bundling {
  readonly root: string
  /** Begins the message of a refusal. */
  readonly what: string
  readonly alias: Readonly<Record<string, string>>
}

async function bundle(target: string, { root, what, alias }: Bundling): Promise<string> {
  // Loaded only if the operator allows modules.
  const [{ build }, { rewrite }] = await Promise.all([import('esbuild'), import('./rewrite.ts')])
  // A build of ECMAScript modules is required as one of CommonJS would be: what it exports by default is all of it.
  const contents = `
    const made = require(${JSON.stringify(target)}), whole = made && made.__esModule && made.default
    module.exports = typeof whole === 'function' ? Object.defineProperties(whole, Object.getOwnPropertyDescriptors(made)) : made`
  let text: string | undefined
  let reason = 'it cannot be bundled'
  for (const platform of builds) {
    const made = await build({
      ...platform,
      stdin: { contents, resolveDir: root, loader: 'js' },
      bundle: true,
      write: false,
      format: 'cjs',
      external: ours,
      alias,
      absWorkingDir: root,
      metafile: true,
      target: 'es2021',
      legalComments: 'none',
      minifySyntax: true,
      define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': '"file:///module.js"' },
      logLevel: 'silent',
    }).catch((error: { errors?: Message[] }) => {
      // What the better build lacks is what the operator wants to know.
      if (platform === builds[0]) reason = reasonOf(error.errors ?? [])
    })
    text = made?.outputFiles[0]?.text
    if (!made || text === undefined) continue
    if (exportsAny(made.metafile)) break
    reason = 'it exports nothing'
    text = undefined
  }
  if (text === undefined) throw new FormulaModuleRefused(`${what}: ${reason}`)
  if (text.length > longest) throw new FormulaModuleRefused(`${what}: it is longer than ${longest} bytes`)
  try {
    return rewrite(text)
  } catch {
    throw new FormulaModuleRefused(`${what}: it cannot be parsed`)
  }
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

/** A path that is relative without saying so, such as `client.js`, is one, too. */
const asFile = (path: string) => (filePath.test(path) ? path : `./${path}`)

/** Follows names that stand for other names. @throws {FormulaModuleRefused} if they lead back to themselves */
function finalTarget(name: string, targets: ReadonlyMap<string, string>): string {
  const passed = [name]
  for (let target = targets.get(name) ?? name; ; ) {
    const next = targets.get(target)
    if (next === undefined || next === target) return target
    if (passed.includes(target)) {
      throw new FormulaModuleRefused(`the modules ${[...passed, target].join(' → ')} stand for each other`)
    }
    passed.push(target)
    target = next
  }
}

function readModule(module: string): { readonly name: string; readonly target: string } {
  const [name = '', target = name, ...more] = module.split('=')
  if (!packageName.test(name)) throw new FormulaModuleRefused(`${name} is not the name of a package`)
  if (ours.includes(name) && name !== 'node-fetch') {
    throw new FormulaModuleRefused(`${name} is a module that every formula has`)
  }
  const isTarget = packageName.test(target) || filePath.test(target) || ours.includes(target)
  if (!isTarget || more.length > 0) {
    const example = 'NAME=PACKAGE or NAME=./file.js'
    throw new FormulaModuleRefused(`${module} does not say which module ${name} stands for; write ${example}`)
  }
  return { name, target }
}
