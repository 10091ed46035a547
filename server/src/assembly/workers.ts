import { connectionLimits } from '../base/limits.ts'
import { nextTurn } from '../base/turn.ts'
import type { UnderWay } from '../http/under-way.ts'
import { startSweeper } from '../retention/sweeper.ts'
import { defaultAuditRetentionDays } from '../vault-options.ts'
import type { Deployment } from './deployment.ts'

/** Starts everything that runs by itself. Returns a function that stops it, in order, and closes the store. */
export function startWorkers(deployment: Deployment, requests: UnderWay): () => Promise<void> {
  const { options, parts, clock, webhooks, performer, audit, sandbox, engine, random } = deployment
  clock.keepRegularly()
  webhooks.start(parts.performer ?? performer)
  const stopSweeping = startSweeper({
    ...deployment,
    sessions: deployment,
    holder: random.uuid(),
    auditRetentionDays: options.auditRetentionDays ?? defaultAuditRetentionDays,
    yield: nextTurn,
  })
  return async () => {
    stopSweeping()
    await webhooks.close()
    await parts.sandbox?.close()
    await sandbox.close()
    await clock.stop()
    // A restart goes on from this time, whatever the machine's clock shows then.
    if (engine.unhealthy() === undefined) await clock.keep().catch(() => {})
    // Requests whose callers hung up may still add to the audit log.
    await requests.none(connectionLimits.closeGraceMs)
    await audit.close()
    await engine.close()
  }
}
