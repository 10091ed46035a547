import type { State, Step } from './steps.ts'

/** A possible past: the state, and the steps without a response yet that have taken effect. */
interface Past {
  readonly state: State
  readonly done: ReadonlySet<Step>
}

/** More than any history of our clients needs. */
const mostPasts = 50_000

/**
 * Finds an order of the steps in which each has the outcome that its client saw, and takes effect between its request
 * and its response. Returns the first step, by the order of responses, with which there is none.
 *
 * It follows the requests and responses, and keeps every past that they allow. A step takes effect only when its own
 * response, or that of another step after it, needs it (Lowe, "Testing for linearizability", 2017). Reads change
 * nothing, so each takes effect as soon as it fits.
 *
 * @throws {RangeError} if there are too many pasts
 */
export function findMisfit(steps: readonly Step[]): Step | undefined {
  const events = steps
    .flatMap(step => [
      { at: step.call.from, step, isEnd: false },
      ...(step.call.to === undefined ? [] : [{ at: step.call.to, step, isEnd: true }]),
    ])
    .sort((a, b) => a.at - b.at)
  const open = new Set<Step>()
  let pasts = new Map<string, Past>([['', { state: { last: '' }, done: new Set() }]])
  const numbers = new Map(steps.map((step, number) => [step, number]))
  const keyOf = ({ state, done }: Past) =>
    JSON.stringify([state, [...done].map(step => numbers.get(step) ?? 0).sort((a, b) => a - b)])

  for (const { step, isEnd } of events) {
    if (!isEnd) {
      open.add(step)
      continue
    }
    const next = new Map<string, Past>()
    const seen = new Set<string>()
    const waiting = [...pasts.values()]
    for (let past = waiting.pop(); past; past = waiting.pop()) {
      const { state } = past
      const done = new Set(past.done)
      for (const one of open) if (one.isRead && !done.has(one) && one.apply(state)) done.add(one)
      const key = keyOf({ state, done })
      if (seen.has(key)) continue
      seen.add(key)
      if (seen.size > mostPasts) throw new RangeError('too many requests at once for one token')
      if (done.delete(step)) {
        next.set(keyOf({ state, done }), { state, done })
        continue
      }
      for (const one of open) {
        if (one.isRead || done.has(one)) continue
        const after = one.apply(state)
        if (after) waiting.push({ state: after, done: new Set(done).add(one) })
      }
    }
    if (next.size === 0) return step
    open.delete(step)
    pasts = next
  }
  return undefined
}
