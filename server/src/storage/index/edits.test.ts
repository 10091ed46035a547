import t from 'tap'
import { collectionOf } from '../port/collection.ts'
import { digest, tenantA } from '../port/port.samples.ts'
import { blockSize } from './bits.ts'
import { editsOf, Heads, imagesOf } from './edits.ts'
import { liveTerm } from './search.ts'

const [one, two, three] = ['one', 'two', 'three'].map(digest) as [never, never, never]
const [a, b] = ['token', 'audit'].map(kind => collectionOf({ kind, tenant: tenantA } as never)) as [
  never,
  never,
]
const document = (ordinal: number, ...terms: (typeof one)[]) => ({
  ...{ ordinal, terms, uniques: [] },
  ...{ version: 1, createdUs: ordinal, modifiedUs: undefined, dueMs: undefined },
})
const added = (ordinal: number, ...terms: (typeof one)[]) => ({
  collection: a,
  before: undefined,
  after: document(ordinal, ...terms),
})

t.test('the changes of a group are one edit for each block, of terms that differ', async t => {
  const edits = editsOf([
    added(1, one, two),
    { collection: a, before: document(2, one, two), after: document(2, two, three) },
    { collection: a, before: document(blockSize + 3, one), after: undefined },
    { ...added(1, one), collection: b },
  ])
  t.same(
    edits.map(({ collection, block, terms }) => [collection, block, Object.fromEntries(terms)]),
    [
      [a, 0, { [liveTerm]: [1], [one]: [1, ~2], [two]: [1], [three]: [2] }],
      [a, 1, { [liveTerm]: [~3], [one]: [~3] }],
      [b, 0, { [liveTerm]: [1], [one]: [1] }],
    ],
  )
})

/** Adds a document with these terms, as an engine does. */
function writeTo(heads: Heads, ordinal: number, state: number, ...terms: (typeof one)[]) {
  const progress = { fromOrdinal: ordinal, nextOrdinal: ordinal + 1, state }
  const [edit] = editsOf([added(ordinal, ...terms)])
  if (!edit) throw new Error('no edit')
  const { known, missing } = heads.recall(edit, progress)
  const blocks = imagesOf(edit, known)
  heads.keep(a, [blocks], progress, state + 1)
  return { missing, added: [...blocks.added], image: blocks.images.get(one) }
}

t.test('blocks are known in memory as long as no other process has written', async t => {
  const heads = new Heads()
  const write = (ordinal: number, state: number, ...terms: (typeof one)[]) =>
    writeTo(heads, ordinal, state, ...terms)
  t.same(write(0, 7, one), { missing: [], added: [liveTerm, one], image: [0] }, 'the block begins here')
  t.same(write(1, 8, one, two), { missing: [], added: [two], image: [0, 1] })
  t.same(write(2, 10, one).missing, [liveTerm, one], 'another process has written in between')
  t.same(write(3, 11, one, two).missing, [two], 'and may have written any other term')
  heads.clear()
  t.same(write(4, 12, one).missing, [liveTerm, one])
  t.same(write(blockSize, 13, two).missing, [], 'until the next block begins')
})

t.test('what other processes add is followed, but not what they change', async t => {
  const heads = new Heads()
  const write = (ordinal: number, state: number, ...terms: (typeof one)[]) =>
    writeTo(heads, ordinal, state, ...terms)
  const follow = (from: number, next: number, state: number) => {
    const documents = Array.from({ length: next - from }, (_, at) => document(from + at, one))
    heads.follow(a, documents, { fromOrdinal: next, nextOrdinal: next, state })
  }
  write(0, 7, one)
  t.equal(heads.unread(a), undefined, 'no other process has written')
  write(2, 8, one)
  t.equal(heads.unread(a), 3, 'one has')

  follow(3, 5, 9)
  t.same(write(5, 9, one, two), { missing: [two], added: [two], image: [2, 3, 4, 5] })
  follow(6, blockSize + 2, 10)
  const next = { missing: [], added: [two], image: [0, 1, 2] }
  t.same(write(blockSize + 2, 10, one, two), next, 'a block that another process began')
  follow(blockSize + 3, blockSize + 4, 12)
  t.same(write(blockSize + 4, 12, one).missing, [liveTerm, one], 'documents were changed')
})
