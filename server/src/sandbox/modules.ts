import { OperatorError } from '../base/operator-error.ts'

/** A package that formulas may not be given: the sentence is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*(\/[\w./-]+)?$/i
const longest = 4 * 1024 * 1024

/**
 * Each package as one text of CommonJS without anything of Node's: whatever of it reaches for files or the
 * network does not bundle. @throws {FormulaModuleRefused}
 */
export async function bundleModules(
  names: readonly string[],
  root: string,
): Promise<ReadonlyMap<string, string>> {
  const bundles = new Map<string, string>()
  if (names.length === 0) return bundles
  // Loaded only where modules are allowed at all.
  const { build } = await import('esbuild')
  for (const name of names) {
    if (!packageName.test(name)) throw new FormulaModuleRefused(`${name} is no name of a package`)
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
      throw new FormulaModuleRefused(`the module ${name} cannot be given to formulas: ${reason}`)
    })
    const text = made.outputFiles[0]?.text ?? ''
    if (text.length > longest)
      throw new FormulaModuleRefused(`the module ${name} is longer than ${longest} bytes`)
    bundles.set(name, text)
  }
  return bundles
}
