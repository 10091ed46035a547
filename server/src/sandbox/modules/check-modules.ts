import type { Sandbox, SandboxOptions } from '../sandbox.ts'
import { FormulaModuleRefused } from './bundle.ts'

/** Longer than any package takes that formulas could use. */
const timeoutMs = 60_000

/** Requires each module, and returns what is wrong with the first one that throws, or exports nothing. */
const code = `
  module.exports = async ({ args }) => {
    for (const name of args) {
      try {
        const made = require(name)
        if (typeof made === 'object' ? made && Reflect.ownKeys(made).length > 0 : made !== undefined) continue
        return { raw: { name, reason: 'it exports nothing' } }
      } catch (error) {
        const message = String(error?.message ?? error).slice(0, 200)
        return { raw: { name, reason: 'it throws "' + message + '" when it is loaded' } }
      }
    }
    return { raw: null }
  }`

/**
 * Loads each module once as a formula does. What it throws then is about its code, since it has seen no data.
 * @throws {FormulaModuleRefused}
 */
export async function checkModules(
  run: Sandbox['run'],
  { modules = [], client }: Pick<SandboxOptions, 'modules' | 'client'>,
): Promise<void> {
  if (modules.length === 0 && client === undefined) return
  const outcome = await run({
    tenant: 'start',
    code,
    args: modules.map(module => module.split('=')[0] ?? ''),
    configuration: {},
    // Not called: it lets the formula have a client, which the adapter gets.
    svc: async () => ({ status: 503, headers: {} }),
    timeoutMs,
    lane: 'async',
    depth: 0,
  })
  if (outcome.kind === 'unusable') throw new FormulaModuleRefused(outcome.detail)
  if (outcome.kind === 'failed') {
    throw new FormulaModuleRefused(
      `the modules or the client of formulas cannot be loaded: ${outcome.detail}`,
    )
  }
  if (outcome.kind !== 'answered' || outcome.raw === null) return
  const { name, reason } = outcome.raw as { readonly name: string; readonly reason: string }
  throw new FormulaModuleRefused(`the module ${name} cannot be provided to formulas: ${reason}`)
}
