import { Script } from 'node:vm'

/** Code without any of these passes the filters of the compartment unchanged. */
const suspicious = /import|<!--|-->/
const mostTexts = 16

export interface Rewriter {
  /** Returns code that passes the filters of a compartment. @throws {SyntaxError} and RangeError, if the nesting is too deep */
  forFilters(code: string): string
  /** Returns code without what only sloppy mode has. @throws like `forFilters` */
  forStrictMode(code: string): string
  /** Returns the line where code does not compile in strict mode. */
  lineOfError(code: string): number | undefined
}

/**
 * Rewrites code so that it compiles in a compartment without a change of its meaning, and keeps the last texts, because parsing takes
 * longer than most formulas run. Few formulas need it, so its program is compiled at the first use.
 *
 * @param program evaluates to the exports of `rewrite.ts`
 */
export function rewriter(program: Uint8Array): Rewriter {
  let exported: typeof import('../modules/rewrite.ts') | undefined
  const load = () => {
    exported ??= new Script(Buffer.from(program).toString('utf8')).runInThisContext()
    return exported as typeof import('../modules/rewrite.ts')
  }
  return {
    forFilters: keepTexts(code => (suspicious.test(code) ? load().rewrite(code) : code)),
    forStrictMode: keepTexts(code => load().rewrite(code, true)),
    lineOfError: code => load().lineOfError(code),
  }
}

function keepTexts(rewrite: (code: string) => string): (code: string) => string {
  const texts = new Map<string, string>()
  return code => {
    const text = texts.get(code) ?? rewrite(code)
    texts.delete(code)
    texts.set(code, text)
    if (texts.size > mostTexts) texts.delete(texts.keys().next().value ?? '')
    return text
  }
}
