import { Admission, type Bounds, type Party, requesterOf } from '../base/flow/admission.ts'
import type { Stage } from './job.ts'

/** A job that is due or being worked on, and its shares. */
export interface Candidate {
  readonly stage: Stage
  /** Who requested it, and for a delivery the origin of its callback. */
  readonly party: Party & { readonly tenant: string; readonly application: string }
}

/**
 * Chooses the due jobs to begin with, as many of each stage as there is room for. Tenants take turns, and so do the
 * applications and sessions of a tenant: those with the fewest jobs in progress first. So nobody waits for the many jobs
 * of another, and nothing waits for a target that does not respond.
 *
 * @param due earliest first
 */
export function choose<T extends Candidate>(
  due: readonly T[],
  underWay: readonly Candidate[],
  bounds: Readonly<Record<Stage, Bounds>>,
): T[] {
  const rooms = {
    waiting: new Admission(bounds.waiting),
    delivery: new Admission(bounds.delivery),
  }
  const busy = new Map<string, number>()
  const begin = ({ stage, party }: Candidate) => {
    rooms[stage].admit(party)
    for (const name of [party.tenant, requesterOf(party)]) busy.set(name, (busy.get(name) ?? 0) + 1)
  }
  const busyOf = (name: string) => busy.get(name) ?? 0
  for (const one of underWay) begin(one)

  const queues = new Map<string, T[]>()
  for (const one of due) {
    const queue = queues.get(one.party.tenant)
    if (queue) queue.push(one)
    else queues.set(one.party.tenant, [one])
  }
  const chosen: T[] = []
  let turns = [...queues].sort(([a], [b]) => busyOf(a) - busyOf(b))
  while (turns.length > 0) {
    turns = turns.filter(([, queue]) => {
      let next: T | undefined
      for (const one of queue) {
        if (next && busyOf(requesterOf(one.party)) >= busyOf(requesterOf(next.party))) continue
        if (rooms[one.stage].full(one.party) === undefined) next = one
      }
      if (!next) return false
      queue.splice(queue.indexOf(next), 1)
      begin(next)
      chosen.push(next)
      return true
    })
  }
  return chosen
}
