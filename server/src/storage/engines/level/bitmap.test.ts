import fc from 'fast-check'
import t from 'tap'
import {
  addOffset,
  type Block,
  copyBlock,
  countBits,
  decodeBlock,
  encodeBlock,
  fill,
  fillRange,
  intersect,
  isEmpty,
  listOffsets,
  newWords,
  type OwnBlock,
  removeOffset,
  subtractFrom,
  unite,
} from './bitmap.ts'

const offset = fc.nat(4_095)
const offsets = fc.oneof(
  fc.uniqueArray(offset, { maxLength: 20 }),
  // Enough to leave the list form; runs, because those are what a head block is made of.
  fc.tuple(fc.nat(3_500), fc.integer({ min: 100, max: 595 })).map(([from, length]) => {
    return Array.from({ length }, (_, index) => from + index)
  }),
)

function blockOf(list: readonly number[]): OwnBlock {
  let block: OwnBlock = []
  for (const each of list) block = addOffset(block, each)
  return block
}

function listOf(block: Block): number[] {
  const words = newWords()
  fill(words, block)
  return listOffsets(words)
}

const sorted = (list: Iterable<number>) => [...list].sort((a, b) => a - b)

t.test('a block is the set of what was added and not removed, in any order', async t => {
  fc.assert(
    fc.property(offsets, offsets, (added, removed) => {
      const block = blockOf([...added, ...added])
      for (const each of removed) removeOffset(block, each)
      const expected = sorted(without(added, removed))
      return sameList(listOf(block), expected) && isEmpty(block) === (expected.length === 0)
    }),
  )
  t.pass()
})

t.test('the stored form reads back as the same set, in at most 513 bytes', async t => {
  fc.assert(
    fc.property(offsets, offsets, (added, removed) => {
      const block = blockOf(added)
      for (const each of removed) removeOffset(block, each)
      const bytes = encodeBlock(block)
      if (!bytes) return listOf(block).length === 0
      return bytes.length <= 513 && sameList(listOf(decodeBlock(bytes)), listOf(block))
    }),
  )
  t.same(encodeBlock([]), undefined)
  t.same(encodeBlock(newWords()), undefined)
  t.equal(encodeBlock([4_095])?.length, 3)
  t.equal(encodeBlock([0, 1, 2, 3, 4, 5, 6, 7])?.length, 2)
  t.equal(encodeBlock(blockOf(Array.from({ length: 4_096 }, (_, index) => index)))?.length, 513)
})

t.test('a copied block is independent', async t => {
  for (const list of [[1, 5], Array.from({ length: 300 }, (_, index) => index)]) {
    const block = blockOf(list)
    const copy = addOffset(copyBlock(block), 4_000)
    t.same(listOf(block), list)
    t.same(listOf(copy), [...list, 4_000])
  }
})

t.test('set operations agree with sets', async t => {
  fc.assert(
    fc.property(offsets, offsets, (left, right) => {
      const [a, b] = [new Set(left), new Set(right)]
      const words = () => {
        const made = newWords()
        fill(made, blockOf(left))
        return made
      }
      const other = newWords()
      fill(other, blockOf(right))
      const both = words()
      const any = intersect(both, other)
      const either = words()
      unite(either, other)
      const rest = words()
      const anyRest = subtractFrom(other, rest)
      const expectedBoth = sorted([...a].filter(each => b.has(each)))
      const expectedRest = sorted([...b].filter(each => !a.has(each)))
      return (
        sameList(listOffsets(both), expectedBoth) &&
        any === expectedBoth.length > 0 &&
        sameList(listOffsets(either), sorted(new Set([...a, ...b]))) &&
        sameList(listOffsets(rest), expectedRest) &&
        anyRest === expectedRest.length > 0 &&
        countBits(either) === new Set([...a, ...b]).size
      )
    }),
  )
  t.pass()
})

t.test('ranges include their first and exclude their last offset', async t => {
  const words = newWords()
  const list = (from: number, end: number) => {
    fillRange(words, from, end)
    return listOffsets(words)
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

function without(list: readonly number[], others: readonly number[]): Set<number> {
  return new Set(list.filter(each => !others.includes(each)))
}

function sameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index])
}
