import { availableParallelism } from 'node:os'
import { Semaphore } from '../../base/flow/semaphore.ts'
import type { Log } from '../../base/log.ts'
import type { Sandbox, SandboxOptions } from '../sandbox.ts'
import { ours } from './builds.ts'
import { bundle, FormulaModuleRefused, type Loads } from './bundle.ts'
import type { BundleCache } from './bundle-cache.ts'
import { clientModule } from './module-names.ts'

const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*(\/[\w./-]+)?$/i
const filePath = /^\.{0,2}\//

interface ModuleOptions {
  /** `name`, or `name=target` for a name that stands for another package, a file, or a module of ours. */
  readonly modules: readonly string[]
  /** The folder from which packages and files are found. */
  readonly root: string
  /** The file of the adapter for the client, which is bundled like a module. */
  readonly client?: string | undefined
  readonly cache?: BundleCache | undefined
  /** Chooses among the builds of a package. Without it, the first that can be bundled is taken. */
  readonly loads?: Loads | undefined
  /** Has a line for each module that is not in the cache. */
  readonly log?: Log | undefined
}

/**
 * Bundles each package into one CommonJS text without modules of Node other than those that formulas have.
 * @throws {FormulaModuleRefused}
 */
export async function bundleModules({
  modules,
  root,
  client,
  cache,
  loads,
  log,
}: ModuleOptions): Promise<ReadonlyMap<string, string>> {
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
  // Packages that require such a name get the same module. A file may itself require what it stands for.
  const alias = Object.fromEntries(
    sources
      .filter(({ name, target }) => name !== target && !filePath.test(target))
      .map(one => [one.name, one.target]),
  )
  const semaphore = new Semaphore(availableParallelism())
  const made = await Promise.allSettled(
    sources.map(({ name, target, what }) => {
      const module = name === clientModule ? client : name
      const onBundled = (ms: number) => log?.info('bundled for formulas', { module, ms: Math.round(ms) })
      // A client is a file of the operator, and may need one to be loaded.
      const chooses = name === clientModule ? undefined : loads
      return semaphore.run({ tenant: 'start' }, () =>
        bundle({ target, root, what, alias, cache, loads: chooses, onBundled }),
      )
    }),
  )
  return new Map(
    made.map((one, at) => {
      // The first of several that are wrong, whichever was ready first.
      if (one.status === 'rejected') throw one.reason
      return [sources[at]?.name ?? '', one.value]
    }),
  )
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
