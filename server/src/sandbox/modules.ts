import { OperatorError } from '../base/operator-error.ts'

/** A package cannot be provided to formulas. The message is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*(\/[\w./-]+)?$/i
const filePath = /^\.{0,2}\//
/** Modules that every formula may require; a package that requires them gets these, too. */
const ours = [
  '@surrogate/formula-errors',
  ...['buffer', 'crypto', 'url'].flatMap(name => [name, `node:${name}`]),
]
const longest = 4 * 1024 * 1024

/**
 * Bundles each package into one CommonJS text without modules of Node other than those that formulas have: a package that
 * uses files or the network cannot be bundled.
 *
 * @param modules `name`, or `name=target` for a name that stands for another package, a file, or a module of ours
 * @param root the folder from which packages and files are found
 * @throws {FormulaModuleRefused}
 */
export async function bundleModules(
  modules: readonly string[],
  root: string,
): Promise<ReadonlyMap<string, string>> {
  const bundles = new Map<string, string>()
  if (modules.length === 0) return bundles
  // Loaded only if the operator allows modules.
  const [{ build }, { rewrite }] = await Promise.all([import('esbuild'), import('./rewrite.ts')])
  for (const module of modules) {
    const { name, target } = readModule(module)
    if (bundles.has(name)) throw new FormulaModuleRefused(`the module ${name} is given twice`)
    const made = await build({
      stdin: {
        contents: `module.exports = require(${JSON.stringify(target)})`,
        resolveDir: root,
        loader: 'js',
      },
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'browser',
      external: ours,
      target: 'es2021',
      legalComments: 'none',
      minifySyntax: true,
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'silent',
    }).catch((error: { errors?: { text: string }[] }) => {
      const reason = error.errors?.[0]?.text ?? 'it cannot be bundled'
      throw new FormulaModuleRefused(`the module ${name} cannot be provided to formulas: ${reason}`)
    })
    const text = made.outputFiles[0]?.text ?? ''
    if (text.length > longest) {
      throw new FormulaModuleRefused(`the module ${name} is longer than ${longest} bytes`)
    }
    try {
      bundles.set(name, rewrite(text))
    } catch {
      throw new FormulaModuleRefused(`the module ${name} cannot be provided to formulas: it cannot be parsed`)
    }
  }
  return bundles
}

function readModule(module: string): { readonly name: string; readonly target: string } {
  const [name = '', target = name, ...more] = module.split('=')
  if (!packageName.test(name)) throw new FormulaModuleRefused(`${name} is not the name of a package`)
  if (ours.includes(name)) throw new FormulaModuleRefused(`${name} is a module that every formula has`)
  const isTarget = packageName.test(target) || filePath.test(target) || ours.includes(target)
  if (!isTarget || more.length > 0) {
    const example = 'NAME=PACKAGE or NAME=./file.js'
    throw new FormulaModuleRefused(`${module} does not say which module ${name} stands for; write ${example}`)
  }
  return { name, target }
}
