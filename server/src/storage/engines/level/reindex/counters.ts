import { type CollectionKey, counterKey } from '../keys.ts'
import { decodeCounters, encodeCounters, noCounters } from '../record.ts'
import type { Newest } from './derive.ts'
import type { Verification } from './verification.ts'

/** Ensures that new documents get ordinals and stamps that were never used. */
export async function verifyCounters(
  { level, repairs, findings, unreliable }: Verification,
  collection: CollectionKey,
  newest: Newest,
): Promise<void> {
  const { ordinals } = unreliable.of(collection)
  const newestOrdinal = [...ordinals].reduce((a, b) => Math.max(a, b), newest.ordinal)
  if (newestOrdinal < 0) return
  findings.entries++
  const value = await level.get(counterKey(collection))
  const { nextOrdinal, lastUs, lastCreatedUs } = value ? decodeCounters(value) : noCounters
  const expected = encodeCounters({
    nextOrdinal: Math.max(nextOrdinal, newestOrdinal + 1),
    lastUs: Math.max(lastUs, newest.us),
    lastCreatedUs: Math.max(lastCreatedUs, newest.createdUs),
  })
  if (value?.equals(expected)) return
  findings[value ? 'different' : 'missing']++
  repairs.put(counterKey(collection), expected)
  await repairs.flush()
}
