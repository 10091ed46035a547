import { Script } from 'node:vm'

/** Code without any of these passes the filters of the compartment unchanged. */
const suspicious = /import|<!--|-->/
const mostTexts = 16

/**
 * Returns a function that rewrites code so that it passes the filters, and keeps the last texts, because parsing takes
 * longer than most formulas run. Few formulas need it, so its program is compiled at the first use.
 *
 * @param program evaluates to the exports of `rewrite.ts`
 */
export function rewriter(program: Uint8Array): (code: string) => string {
  const texts = new Map<string, string>()
  let exported: typeof import('../rewrite.ts') | undefined
  const rewrite = (code: string): string => {
    if (!suspicious.test(code)) return code
    exported ??= new Script(Buffer.from(program).toString('utf8')).runInThisContext()
    return exported?.rewrite(code) ?? code
  }
  return code => {
    const text = texts.get(code) ?? rewrite(code)
    texts.delete(code)
    texts.set(code, text)
    if (texts.size > mostTexts) texts.delete(texts.keys().next().value ?? '')
    return text
  }
}
