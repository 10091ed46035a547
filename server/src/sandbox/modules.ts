import { OperatorError } from '../base/operator-error.ts'

/** A package cannot be provided to formulas. The message is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*(\/[\w./-]+)?$/i
const longest = 4 * 1024 * 1024

/**
 * Bundles each package into one CommonJS text without modules of Node: a package that uses files or the network
 * cannot be bundled. @throws {FormulaModuleRefused}
 */
export async function bundleModules(
  names: readonly string[],
  root: string,
): Promise<ReadonlyMap<string, string>> {
  const bundles = new Map<string, string>()
  if (names.length === 0) return bundles
  // Loaded only if the operator allows modules.
  const [{ build }, { rewrite }] = await Promise.all([import('esbuild'), import('./rewrite.ts')])
  for (const name of names) {
    if (!packageName.test(name)) throw new FormulaModuleRefused(`${name} is not the name of a package`)
    const made = await build({
      stdin: {
        contents: `module.exports = require(${JSON.stringify(name)})`,
        resolveDir: root,
        loader: 'js',
      },
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'browser',
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
