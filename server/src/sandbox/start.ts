import { silentLog } from '../base/log.ts'
import { headerPrefix as contractHeaderPrefix } from '../generated/facts.ts'
import type { BackOff } from './admission/back-off.ts'
import type { Monotonic } from './admission/wait.ts'
import { LoadTrial } from './load-trial.ts'
import { BundleCache } from './modules/bundle-cache.ts'
import { bundleModules } from './modules/modules.ts'
import type { findNode } from './processes/find-node.ts'
import { findLauncher, type Launcher, type LaunchOptions } from './processes/launch.ts'
import { Pool } from './processes/pool.ts'
import { type Programs, readPrograms } from './programs.ts'
import type { SandboxOptions } from './sandbox.ts'
import type { SandboxLimits } from './sandbox-limits.ts'

/** Parts that tests replace. */
export interface SandboxParts {
  /** Tools that this host pretends not to have. */
  readonly without?: NonNullable<LaunchOptions['without']>
  /** Replacements for the programs of the processes. */
  readonly programs?: Partial<Programs>
  /** The clock for waiting invocations. */
  readonly time?: Monotonic
  /** Finds the Node of the processes. */
  readonly findNode?: typeof findNode
}

/** Finds out how processes are isolated on this host. */
export async function launcherOf(
  limits: SandboxLimits,
  { programs, ...parts }: SandboxParts,
): Promise<Launcher> {
  const { boot } = { ...(await readPrograms()), ...programs }
  return findLauncher({ limits, boot, ...parts })
}

/** Bundles the modules, and makes the pool of processes. */
export async function startSandbox(
  options: SandboxOptions,
  limits: SandboxLimits,
  backOff: BackOff,
  launching: Promise<Launcher>,
  replaced: SandboxParts['programs'],
): Promise<Pool> {
  const {
    headerPrefix = contractHeaderPrefix,
    modules = [],
    moduleRoot = process.cwd(),
    moduleCache,
    client,
  } = options
  // It is awaited below; until then a failure must not count as unhandled.
  launching.catch(() => {})
  const programs = { ...(await readPrograms()), ...replaced }
  const { rewrite, classes, node, imitations } = programs
  // What a formula can load depends on all of them.
  const makers = Buffer.concat([rewrite, classes, node, imitations])
  const cache = moduleCache === undefined ? undefined : new BundleCache(moduleCache, makers)
  const poolOf = async (bundles: ReadonlyMap<string, string>): Promise<Pool> => {
    const { launch } = await launching
    return new Pool({
      launch,
      limits,
      header: {
        svcNames: [...new Set(['svc', headerPrefix.toLowerCase()])],
        headerPrefix,
        moduleNames: [...bundles.keys()],
        limits,
      },
      program: programs.runner,
      parts: [
        programs.classes,
        programs.client,
        programs.rewrite,
        programs.node,
        programs.imitations,
        ...[...bundles.values()].map(text => Buffer.from(text)),
      ],
      egress: options.egress,
      headerPrefix: headerPrefix.toLowerCase(),
      log: options.log ?? silentLog,
      backOff,
    })
  }
  const trial = new LoadTrial(() => poolOf(new Map()))
  const bundling = bundleModules({
    modules,
    root: moduleRoot,
    client,
    cache,
    loads: code => trial.loads(code),
    log: options.log,
  }).finally(() => trial.close())
  const [bundles] = await Promise.all([bundling, launching])
  return poolOf(bundles)
}
