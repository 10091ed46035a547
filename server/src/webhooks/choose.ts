import type { Capacity } from './context.ts'
import type { Stage } from './job.ts'

/** A job that is due or being worked on. */
export interface Candidate {
  readonly tenant: string
  readonly stage: Stage
}

/**
 * Chooses the due jobs to begin with, as many of each stage as there is capacity for. Tenants take turns, those with the
 * fewest jobs in progress first, so that nobody waits for the many jobs of another.
 *
 * @param due earliest first
 */
export function choose<T extends Candidate>(
  due: readonly T[],
  underWay: readonly Candidate[],
  rooms: Readonly<Record<Stage, Capacity>>,
): T[] {
  const taken = new Map<string, number>()
  const count = ({ tenant, stage }: Candidate) => {
    for (const key of [stage, `${stage} ${tenant}`, tenant]) taken.set(key, (taken.get(key) ?? 0) + 1)
  }
  const hasRoom = ({ tenant, stage }: Candidate) =>
    (taken.get(stage) ?? 0) < rooms[stage].overall &&
    (taken.get(`${stage} ${tenant}`) ?? 0) < rooms[stage].perTenant
  for (const one of underWay) count(one)

  const queues = new Map<string, T[]>()
  for (const one of due) {
    const queue = queues.get(one.tenant)
    if (queue) queue.push(one)
    else queues.set(one.tenant, [one])
  }
  const chosen: T[] = []
  let turns = [...queues].sort(([a], [b]) => (taken.get(a) ?? 0) - (taken.get(b) ?? 0))
  while (turns.length > 0) {
    turns = turns.filter(([, queue]) => {
      const place = queue.findIndex(hasRoom)
      if (place < 0) return false
      const [next] = queue.splice(place, 1)
      if (next) {
        count(next)
        chosen.push(next)
      }
      return true
    })
  }
  return chosen
}
