import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'
import { monotonicMs } from '../../base/time/real-time.ts'
import { decodeText } from '../../base/utf8.ts'
import { buildOf, builds, entryOf, type ModuleSource } from './builds.ts'
import type { BundleCache } from './bundle-cache.ts'

/** A package cannot be provided to formulas. The message is for the operator. */
export class FormulaModuleRefused extends OperatorError {
  override readonly name = 'FormulaModuleRefused'
}

/** True if a formula can load the code of a module. */
export type Loads = (code: string) => Promise<boolean>

interface Bundling extends ModuleSource {
  /** Begins the message of a refusal. */
  readonly what: string
  readonly cache?: BundleCache | undefined
  readonly loads?: Loads | undefined
  /** Called if the module is not in the cache, with the time that it took. */
  readonly onBundled?: (ms: number) => void
}

/**
 * Returns a module as one text, with all that it needs: the first of its builds that a formula can load, or else the first
 * one that can be bundled, so that a later check says what it throws.
 * @throws {FormulaModuleRefused}
 */
export async function bundle({ what, cache, loads, onBundled, ...source }: Bundling): Promise<string> {
  const { target, root, alias } = source
  const entry = cache?.entry([entryOf(target), root, alias, builds])
  const cached = entry?.read()
  if (cached !== undefined) return cached
  const begun = monotonicMs()
  let reason: string | undefined
  let first: { readonly text: string; readonly files: readonly string[] } | undefined
  let chosen: typeof first
  for (const build of builds) {
    const made = await buildOf(build, source)
    checkTexts([resolve(root, target), ...made.files], what)
    if ('reason' in made) {
      // What the last one lacks, that for Node, is what the operator wants to know.
      reason = made.reason
      continue
    }
    const candidate = { ...made, text: await rewritten(made.text, what) }
    first ??= candidate
    if (!loads || (await loads(candidate.text))) {
      chosen = candidate
      break
    }
  }
  const { text, files } = chosen ?? first ?? {}
  if (text === undefined || !files) throw new FormulaModuleRefused(`${what}: ${reason}`)
  onBundled?.(monotonicMs() - begun)
  entry?.write(text, files)
  return text
}

async function rewritten(text: string, what: string): Promise<string> {
  // Loaded only for modules that are not in the cache.
  const { rewrite } = await import('./rewrite.ts')
  try {
    return rewrite(text)
  } catch {
    throw new FormulaModuleRefused(`${what}: it cannot be parsed`)
  }
}

/** The bundler puts U+FFFD in the place of bytes that are not UTF-8, and does not parse UTF-16. */
function checkTexts(files: readonly string[], what: string): void {
  for (const file of files) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile())
      decodeText(readFileSync(file), `${what}: ${file}`)
  }
}
