/** A figure that must not grow while the load stays the same. */
export interface Judged {
  readonly name: string
  /** Medians of the third and the last quarter of the run. */
  readonly before: number
  readonly after: number
  /** By how much the second may exceed the first, as a share. */
  readonly allowed: number
  readonly isFlat: boolean
}

/**
 * Judges samples that were taken at equal intervals. In the first half of a run caches fill and the first audit entries
 * reach their age, so only the second half counts: the median of its second half may exceed the median of its first
 * half by the allowed share. Medians ignore the moments before a garbage collection or a compaction.
 *
 * @throws {RangeError} with fewer than 8 samples: two for each quarter
 */
export function judge(name: string, samples: readonly number[], allowed: number): Judged {
  if (samples.length < 8) throw new RangeError(`${samples.length} samples cannot be judged: 8 are needed`)
  const quarter = Math.floor(samples.length / 4)
  const before = median(samples.slice(-2 * quarter, -quarter))
  const after = median(samples.slice(-quarter))
  return { name, before, after, allowed, isFlat: after <= before * (1 + allowed) }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return ((low ?? 0) + (high ?? 0)) / 2
}
