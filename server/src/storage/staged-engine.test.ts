import fc from 'fast-check'
import t from 'tap'
import { MemoryEngine } from './engines/memory/memory-engine.ts'
import {
  type Digest,
  type Engine,
  matchAll,
  matchTerm,
  type Query,
  type StoredDocument,
  sealedAs,
  type Write,
} from './port/port.ts'
import { StagedEngine } from './staged-engine.ts'

const tenant = '5b493235-6917-4307-906a-2cd6f1a90b13'
const digest = (of: string) => Buffer.from(of.padEnd(16)).toString('base64url') as Digest
const ids = ['a', 'b', 'c'].map(digest)
const terms = ['x', 'y'].map(digest)
const everything = { nowMs: 0, offset: 0, limit: 100, oldestFirst: true }

const oneWrite = fc
  .record({
    type: fc.constantFrom('insert', 'replace', 'remove', 'expect'),
    id: fc.constantFrom(...ids),
    kind: fc.constantFrom('token', 'key'),
    version: fc.integer({ min: 0, max: 3 }),
    terms: fc.subarray(terms),
    text: fc.string({ minLength: 1, maxLength: 3 }),
  })
  .map(({ type, kind, id, version, terms, text }) => {
    const content = { terms, uniques: [], ...sealedAs(Buffer.from(text)) }
    const common = { type, kind, tenant, id }
    if (type === 'insert') return { ...common, ...content } as Write
    if (type === 'replace') return { ...common, ...content, version: Math.max(1, version) } as Write
    return (type === 'remove' && version === 0 ? common : { ...common, version }) as Write
  })
const someCommits = fc.array(fc.array(oneWrite, { minLength: 1, maxLength: 3 }), { maxLength: 6 })

const queries: readonly Query[] = [
  { op: 'all' },
  matchTerm(terms[0] as Digest),
  matchAll([matchTerm(terms[0] as Digest), { op: 'not', of: matchTerm(terms[1] as Digest) }]),
  { op: 'or', of: [{ op: 'ids', ids: ids.slice(0, 1) }, matchTerm(terms[1] as Digest)] },
]

const shown = (document: StoredDocument | undefined) =>
  document && [document.id, [...document.terms].sort(), Buffer.from(document.box).toString()]

async function contentsOf(store: Engine) {
  const found = []
  for (const kind of ['token', 'key'] as const) {
    for (const query of queries) {
      const { total, documents } = await store.find(kind, tenant, query, everything)
      found.push([total, documents.map(shown).sort()])
    }
    found.push((await store.get(kind, tenant, ids)).map(shown))
  }
  return JSON.stringify(found)
}

t.test('commits are decided and read as in the store, and leave it alone until they are one', async t => {
  let [accepted, refused] = [0, 0]
  const property = fc.asyncProperty(someCommits, someCommits, async (before, commits) => {
    const [base, model] = [new MemoryEngine(), new MemoryEngine()]
    for (const store of [base, model]) for (const writes of before) await store.commit(writes, 1)
    const untouched = await contentsOf(base)
    const staged = new StagedEngine(base)
    for (const writes of commits) {
      const [found, expected] = [await staged.commit(writes, 2), await model.commit(writes, 2)]
      const outcome = ({ ok, conflict }: { ok: boolean; conflict?: unknown }) =>
        JSON.stringify([ok, conflict])
      if (outcome(found) !== outcome(expected)) throw new Error(`${outcome(found)} ${outcome(expected)}`)
      if (found.ok) accepted++
      else refused++
    }
    const expected = await contentsOf(model)
    if ((await contentsOf(staged)) !== expected) throw new Error('it reads other documents')
    if ((await contentsOf(base)) !== untouched) throw new Error('something was written')
    const { ok } = await base.commit(staged.writes(), 2)
    if (!ok || (await contentsOf(base)) !== expected) throw new Error('the one commit writes something else')
  })
  await fc.assert(property, { numRuns: 500 })
  t.ok(accepted > 100 && refused > 300, `${accepted} accepted, ${refused} refused`)
})

t.test('the one commit fails if what it depends on has changed', async t => {
  const [id = digest('a')] = ids
  const address = { kind: 'token', tenant, id } as const
  const content = { terms: [], uniques: [], ...sealedAs(Buffer.from('x')) }
  for (const write of [
    { type: 'replace', version: 1, ...address, ...content },
    { type: 'remove', ...address },
    { type: 'expect', version: 1, ...address },
    undefined,
  ] as const) {
    for (const isChanged of [false, true]) {
      const base = new MemoryEngine()
      await base.commit([{ type: 'insert', ...address, ...content }], 1)
      const staged = new StagedEngine(base)
      if (write) await staged.commit([write], 2)
      else await staged.get('token', tenant, [id])
      t.equal(staged.writes().length, write && write.type !== 'expect' ? 1 : 0, 'nothing to write')
      await staged.commit([{ type: 'insert', ...address, id: digest('other'), ...content }], 2)
      if (isChanged) await base.commit([{ type: 'replace', version: 1, ...address, ...content }], 2)
      const { ok } = await base.commit(staged.writes(), 3)
      t.equal(ok, !isChanged, `${write?.type ?? 'read'} ${isChanged}`)
    }
  }
})
