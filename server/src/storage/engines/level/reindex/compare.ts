import { decodeBlock, encodeBlock } from '../bitmap.ts'
import { type KeyRange, sortOfKey } from '../keys.ts'
import type { LevelDb } from '../leveldb.ts'
import type { Verification } from './verification.ts'

const mostRepairs = 1000

/** Compares the entries in a range of keys with those that were derived, and corrects them. */
export async function compareEntries(verification: Verification, range: KeyRange): Promise<void> {
  const { level, scratch, repairs, findings, unreliable } = verification
  for await (const [key, derived, actual] of bothOf(scratch, level, range)) {
    const expected = actual ? unreliable.include(key, derived, actual) : derived
    if (expected) findings.entries++
    if (expected && actual && (expected.equals(actual) || isSameBlock(key, expected, actual))) continue
    if (!expected) {
      findings.stray++
      repairs.del(key)
    } else {
      findings[actual ? 'different' : 'missing']++
      repairs.put(key, expected)
    }
    await repairs.flush(mostRepairs)
  }
  await repairs.flush()
}

/** True for blocks that only their encoding distinguishes. */
function isSameBlock(key: string, expected: Buffer, actual: Buffer): boolean {
  return sortOfKey(key) === 'b' && (encodeBlock(decodeBlock(actual))?.equals(expected) ?? false)
}

type Both = readonly [key: string, one: Buffer | undefined, other: Buffer | undefined]

/** Yields the keys of a range in two databases, in order, with their values. */
async function* bothOf(one: LevelDb, other: LevelDb, range: KeyRange): AsyncGenerator<Both> {
  const sides = [one.iterator(range), other.iterator(range)] as const
  try {
    let [left, right] = await Promise.all([sides[0].next(), sides[1].next()])
    while (left || right) {
      const order = !left ? 1 : !right || left[0] < right[0] ? -1 : Number(left[0] > right[0])
      yield [
        (order > 0 ? right?.[0] : left?.[0]) ?? '',
        order > 0 ? undefined : left?.[1],
        order < 0 ? undefined : right?.[1],
      ]
      if (order <= 0) left = await sides[0].next()
      if (order >= 0) right = await sides[1].next()
    }
  } finally {
    await Promise.all(sides.map(side => side.close()))
  }
}
