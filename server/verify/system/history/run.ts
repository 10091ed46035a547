import { Dice } from '../../support/dice.ts'
import { makeTenantOver, startReplicas } from '../../support/started-replicas.ts'
import { openTcpProxy } from '../../support/tcp-proxy.ts'
import { checkHistory } from './check.ts'
import { HistoryClients } from './clients.ts'
import { Faults } from './faults.ts'
import { Fleet } from './fleet.ts'

export interface HistoryOptions {
  readonly seed: string
  /** Episodes begin until this time has passed. */
  readonly seconds: number
  /**
   * The requests of an episode. Each episode has a tenant of its own, so that its history is short enough to be judged.
   */
  readonly requests: number
  readonly storage: string
  readonly masterKey: Uint8Array
  readonly servers: number
  readonly say: (line: string) => void
}

/** Requests between two faults. */
const betweenFaults = [40, 160] as const

/**
 * Runs clients against servers with faults, episode after episode, and judges what they saw. Resolves with what cannot
 * have happened; the first episode with such a fault is the last. The seed determines the requests of each client and
 * the faults, but not their timing.
 */
export async function runHistory(
  t: { teardown(task: () => unknown): void },
  { seed, seconds, requests, storage, masterKey, servers, say }: HistoryOptions,
): Promise<string[]> {
  const endMs = performance.now() + seconds * 1000
  const proxy = storage.startsWith('postgres')
    ? await openTcpProxy(t, Number(new URL(storage).port))
    : undefined
  const replicas = startReplicas(t, storage, masterKey)
  const fleet = await Fleet.open(
    place => replicas.start({}, place === 0 && proxy ? proxy.via(storage) : storage),
    servers,
  )
  for (let episode = 1; ; episode++) {
    const startMs = performance.now()
    const name = `${seed} ${episode}`
    const tenant = await makeTenantOver(fleet.urls()[0] ?? '')
    const dice = new Dice(`${name} faults`)
    const faults = new Faults(dice, { fleet, managementKey: tenant.management_key, ...(proxy && { proxy }) })
    let untilFault = dice.int(...betweenFaults)
    const clients = new HistoryClients({
      seed: name,
      servers: fleet,
      key: tenant.private_key,
      onAnswer: () => {
        if (--untilFault > 0) return
        untilFault = dice.int(...betweenFaults)
        faults.inject()
      },
    })
    await clients.run(requests)
    untilFault = Number.POSITIVE_INFINITY
    await faults.end()
    await clients.readAll()
    const ranMs = performance.now() - startMs
    const found = [...fleet.deaths, ...clients.faults, ...checkHistory(clients.calls)]
    const lost = clients.calls.filter(({ to }) => to === undefined).length
    say(
      `episode ${episode}: ${clients.calls.length} requests, ${lost} with an unknown outcome, in ${(ranMs / 1000).toFixed(1)} s, judged in ${(performance.now() - startMs - ranMs).toFixed(0)} ms; ${JSON.stringify(faults.counts)}`,
    )
    if (found.length === 0 && performance.now() < endMs) continue
    await fleet.kill()
    return found
  }
}
