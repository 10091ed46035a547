/** JSON text that takes a while to parse. */
const work = JSON.stringify(
  Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index])),
)

/** Processor time for parsing `work` on an idle 2.4 GHz EPYC. */
const usualMs = 22
const samples = 5

/**
 * Returns how many times slower than usual this machine is at the moment, at least 1: on a slow or busy machine, a
 * slow read is not necessarily a stall.
 */
export function slowness(): number {
  const times = Array.from({ length: samples }, () => {
    const before = process.cpuUsage()
    JSON.parse(work)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }).sort((a, b) => a - b)
  return Math.max(1, (times[Math.floor(samples / 2)] ?? 0) / usualMs)
}
