import type { Admissions } from '../base/limits.ts'
import type { Log } from '../base/log.ts'
import type { IsOwn } from '../egress/addresses.ts'
import { createFormulaEgress } from '../egress/formula-egress.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import { FormulaSandbox } from '../sandbox/formula-sandbox.ts'
import { userCacheFolder } from '../sandbox/modules/bundle-cache.ts'
import { findNode, NodeMissing } from '../sandbox/processes/find-node.ts'
import { requireIsolation } from '../sandbox/processes/isolation.ts'
import type { AroundNetwork } from './around.ts'
import type { Closers } from './closers.ts'
import type { VaultParts } from './vault-parts.ts'

interface Surroundings {
  readonly options: VaultOptions
  readonly parts: VaultParts
  readonly admissions: Admissions
  readonly headerPrefix: string
  readonly isOwn: IsOwn
  readonly log: Log
  readonly closers: Closers
  readonly outgoing: AroundNetwork
}

/**
 * Where nothing is started in advance, as in tests, a process is started for a tenant that makes a reactor: any other one
 * would rarely be used, and takes 0.1 s of processor time.
 */
const unwarmedSpares = 0

interface OpenedSandbox {
  readonly sandbox: FormulaSandbox
  /** Resolves when all modules of formulas can be loaded. Rejects with `FormulaModuleRefused` otherwise. */
  readonly checked: Promise<void>
}

/** @throws {IsolationMissing} */
export async function openSandbox({
  options,
  parts,
  admissions,
  headerPrefix,
  isOwn,
  log,
  closers,
  outgoing,
}: Surroundings): Promise<OpenedSandbox> {
  const {
    formulaModules: modules,
    formulaClient: client,
    formulaAllowOrigins: origins = [],
    formulaMapOrigins: mapped = {},
  } = options
  const hasEgress = origins.length > 0 || Object.keys(mapped).length > 0 || outgoing.alsoAllows
  await warnWithoutNode(parts, log)
  const sandbox = new FormulaSandbox(
    {
      headerPrefix,
      log,
      ...(options.warmFormulas ? {} : { limits: { spares: unwarmedSpares } }),
      ...(modules ? { modules } : {}),
      moduleCache: userCacheFolder(),
      ...(client === undefined ? {} : { client }),
      ...(hasEgress
        ? {
            egress: createFormulaEgress({
              origins,
              mapped,
              isOwn,
              admission: admissions.fetches,
              ...outgoing,
            }),
          }
        : {}),
    },
    parts.sandboxParts,
  )
  closers.add(() => sandbox.close())
  if (options.requireIsolation) await checkIsolation(sandbox)
  // Bundling takes seconds, for which nothing else has to wait. A server with wrong modules does not become ready.
  const isChecked = options.warmFormulas && (modules?.length || client !== undefined)
  const checked = isChecked ? checkModules(sandbox) : Promise.resolve()
  // Whoever waits for it gets the failure; until there is one it must not count as unhandled.
  checked.catch(() => {})
  return { sandbox, checked }
}

/** Everything but formulas works without Node, and nobody may need them. */
async function warnWithoutNode({ sandboxParts }: VaultParts, log: Log): Promise<void> {
  try {
    await (sandboxParts?.findNode ?? findNode)()
  } catch (error) {
    if (!(error instanceof NodeMissing)) throw error
    log.warn(error.message)
  }
}

async function checkModules(sandbox: FormulaSandbox): Promise<void> {
  await sandbox.start()
  await sandbox.checkModules()
}

async function checkIsolation(sandbox: FormulaSandbox): Promise<void> {
  requireIsolation(await sandbox.isolate().catch(() => 'none' as const))
}
