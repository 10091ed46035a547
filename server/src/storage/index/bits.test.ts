import fc from 'fast-check'
import t from 'tap'
import {
  type Block,
  changed,
  countBits,
  decodeBlock,
  encodeBlock,
  fill,
  fillRange,
  intersect,
  newWords,
  offsetsOf,
  subtractFrom,
  unite,
} from './bits.ts'

const sorted = (list: Iterable<number>) => [...list].sort((a, b) => a - b)
function without(list: readonly number[], others: readonly number[]) {
  const gone = new Set(others)
  return sorted(new Set(list.filter(each => !gone.has(each))))
}

const offset = fc.nat(4_095)
const everyOffset = Array.from({ length: 4_096 }, (_, index) => index)
const offsets = fc.oneof(
  fc.uniqueArray(offset, { maxLength: 20 }),
  // Enough to leave the list form; runs, because those are what a block that is being filled is made of.
  fc.tuple(fc.nat(3_500), fc.integer({ min: 100, max: 595 })).map(([from, length]) => {
    return Array.from({ length }, (_, index) => from + index)
  }),
  // Nearly all, around where the form changes.
  fc.uniqueArray(offset, { maxLength: 140 }).map(absent => without(everyOffset, absent)),
)

function wordsOf(block: Block | undefined) {
  const words = newWords()
  if (block) fill(words, block)
  return words
}

const listOf = (block: Block | undefined) => offsetsOf(wordsOf(block))
const sameList = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((each, index) => each === b[index])

t.test('a block is the set of what was added and not removed, in any order, at once or singly', async t => {
  fc.assert(
    fc.property(offsets, offsets, (added, removed) => {
      const gone = removed.map(each => ~each)
      const atOnce = changed(changed(undefined, [...added, ...added]), gone)
      let oneByOne: Block | undefined
      for (const each of [...added, ...gone]) oneByOne = changed(oneByOne, [each])
      const expected = without(added, removed)
      return (
        sameList(listOf(atOnce), expected) &&
        sameList(listOf(oneByOne), expected) &&
        (atOnce === undefined) === (expected.length === 0)
      )
    }),
  )
  t.pass()
})

t.test('a change leaves the block before it as it was', async t => {
  for (const list of [[1, 5], Array.from({ length: 300 }, (_, index) => index)]) {
    const block = changed(undefined, list)
    t.same(listOf(changed(block, [4_000, ~1])), [...list.filter(each => each !== 1), 4_000])
    t.same(listOf(block), list)
  }
})

t.test('the stored form reads back as the same set, in at most 513 bytes', async t => {
  const bytesOf = (list: readonly number[]) => encodeBlock(changed(undefined, list) as Block)
  fc.assert(
    fc.property(offsets, offset, (list, more) => {
      const bytes = bytesOf([...list, more])
      return bytes.length <= 513 && sameList(listOf(decodeBlock(bytes)), sorted(new Set([...list, more])))
    }),
  )
  t.equal(bytesOf([4_095]).length, 3)
  t.equal(bytesOf(Array.from({ length: 150 }, (_, index) => index)).length, 1 + 19)
  t.equal(bytesOf(everyOffset).length, 1)
  t.equal(bytesOf(without(everyOffset, [0, 9, 4_095])).length, 7)
  t.equal(bytesOf(everyOffset.slice(129)).length, 513)
})

t.test('set operations agree with sets', async t => {
  fc.assert(
    fc.property(offsets, offsets, (left, right) => {
      const [a, b] = [new Set(left), new Set(right)]
      const [one, other] = [changed(undefined, left), changed(undefined, right)]
      const both = wordsOf(one)
      const any = intersect(both, wordsOf(other))
      const either = wordsOf(one)
      unite(either, wordsOf(other))
      const rest = wordsOf(other)
      subtractFrom(wordsOf(one), rest)
      const expectedBoth = sorted([...a].filter(each => b.has(each)))
      return (
        sameList(offsetsOf(both), expectedBoth) &&
        any === expectedBoth.length > 0 &&
        sameList(offsetsOf(either), sorted(new Set([...a, ...b]))) &&
        sameList(offsetsOf(rest), without(left, right)) &&
        countBits(either) === new Set([...a, ...b]).size
      )
    }),
  )
  t.pass()
})

t.test('a part of the offsets of a bitmap is that of the whole list, from either end', async t => {
  fc.assert(
    fc.property(
      offsets,
      fc.boolean(),
      fc.nat(600),
      fc.integer({ min: 1, max: 600 }),
      (list, down, skip, most) => {
        const whole = sorted(list)
        const expected = (down ? whole.reverse() : whole).slice(skip, skip + most)
        return sameList(offsetsOf(wordsOf(changed(undefined, list)), down, skip, most), expected)
      },
    ),
  )
  t.pass()
})

t.test('ranges include their first and exclude their last offset', async t => {
  const words = newWords()
  const list = (from: number, end: number) => {
    fillRange(words, from, end)
    return offsetsOf(words)
  }
  t.same(list(5, 5), [])
  t.same(list(7, 3), [])
  t.same(list(31, 33), [31, 32])
  t.same(list(0, 4_096).length, 4_096)
  t.same(list(4_095, 4_096), [4_095])
  fc.assert(
    fc.property(offset, offset, (from, end) => {
      const expected = Array.from({ length: Math.max(end - from, 0) }, (_, index) => from + index)
      return sameList(list(from, end), expected)
    }),
  )
})
