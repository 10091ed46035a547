import { deepStrictEqual } from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Test } from 'tap'
import { digest, insert, mustCommit, tenantA, tenantB } from './port.samples.ts'
import {
  type CommitResult,
  type DocumentKind,
  type OpenEngine,
  type Query,
  type StoredDocument,
  sealedAs,
  type Write,
} from './port.ts'

/** One step of a random history. The same step is asked of the model and of the engine. */
type Step =
  | { readonly step: 'commit'; readonly commits: readonly { writes: readonly Draft[]; nowUs: number }[] }
  | ({ readonly step: 'find' } & Search)
  // A search during a commit sees the state before it or after it, never one between.
  | ({ readonly step: 'race'; readonly writes: readonly Draft[]; readonly searchFirst: boolean } & Search)
  | { readonly step: 'get'; readonly place: Place; readonly ids: readonly number[] }
  | { readonly step: 'due'; readonly kind: DocumentKind; readonly beforeMs: number; readonly limit: number }
  | { readonly step: 'lease'; readonly holder: string; readonly nowMs: number; readonly untilMs: number }
  | { readonly step: 'reopen' | 'compact' | 'clear' }

interface Place {
  readonly kind: DocumentKind
  readonly tenant: string
}

/** A write whose version is worked out when its turn comes: a random one would nearly always conflict. */
interface Draft {
  readonly type: Write['type']
  readonly place: Place
  readonly id: number
  readonly versionOff: number
  /** How far a restored document is from the newest one, and its modification from its creation. */
  readonly createdOff: number
  readonly modifiedOff: number | undefined
  readonly terms: readonly number[]
  readonly uniques: readonly number[]
  readonly dueMs: number | undefined
  readonly boxSize: number
}

interface Search {
  readonly place: Place
  readonly query: Query
  readonly page: Page
}

interface Page {
  readonly nowMs: number
  readonly offset: number
  readonly limit: number
  readonly afterUs?: number
  readonly oldestFirst?: boolean
}

// Few values, so that steps meet each other.
const place: fc.Arbitrary<Place> = fc.record({
  kind: fc.constantFrom<DocumentKind>('token', 'token', 'token', 'audit'),
  tenant: fc.constantFrom(tenantA, tenantA, tenantA, tenantB),
})
const id = fc.nat(9)
const time = fc.nat(30)
const digests = (most: number, maxLength: number) => fc.uniqueArray(fc.nat(most), { maxLength })

type Weighted<Value> = readonly [weight: number, arbitrary: fc.Arbitrary<Value>]
const oneOf = <Value>(...choices: readonly Weighted<Value>[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const draft: fc.Arbitrary<Draft> = fc.record({
  type: oneOf<Write['type']>(
    [3, fc.constant('insert')],
    [2, fc.constant('replace')],
    [3, fc.constantFrom('remove', 'expect', 'restore')],
  ),
  place,
  id,
  versionOff: fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1),
  createdOff: fc.constantFrom(1, 1, 2, 3, 10, 0, -1),
  modifiedOff: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
  terms: digests(5, 4),
  uniques: oneOf<number[]>([3, fc.constant([])], [1, digests(4, 2)]),
  dueMs: fc.option(time, { nil: undefined, freq: 2 }),
  boxSize: fc.nat(40),
})

const stampUs = fc.nat(4_300)
const range = fc.record({ fromUs: stampUs, toUs: stampUs }, { requiredKeys: [] })

const query = fc.letrec<{ query: Query; leaf: Query }>(tie => ({
  leaf: oneOf<Query>(
    [6, fc.nat(6).map(name => ({ op: 'term', term: digest(name) }))],
    [1, fc.constantFrom({ op: 'all' }, { op: 'none' })],
    [1, fc.array(id, { maxLength: 5 }).map(ids => ({ op: 'ids', ids: ids.map(digest) }))],
    [2, range.map(bounds => ({ op: 'created', ...bounds }))],
    [2, range.map(bounds => ({ op: 'modified', ...bounds }))],
  ),
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ op: 'and', of })),
    fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ op: 'or', of })),
    tie('query').map((of): Query => ({ op: 'not', of })),
  ),
})).query

const page: fc.Arbitrary<Page> = fc.record(
  {
    nowMs: time,
    offset: oneOf([3, fc.constant(0)], [1, fc.nat(12)]),
    limit: fc.nat(12),
    afterUs: stampUs,
    oldestFirst: fc.boolean(),
  },
  { requiredKeys: ['nowMs', 'offset', 'limit'] },
)

const drafts = oneOf(
  [2, fc.array(draft, { minLength: 1, maxLength: 1 })],
  [1, fc.array(draft, { minLength: 2, maxLength: 4 })],
)
const commit = fc.record({ writes: drafts, nowUs: stampUs })
const named = <Name extends Step['step']>(...names: Name[]) => fc.constantFrom(...names)

const step = oneOf<Step>(
  [10, fc.record({ step: named('commit'), commits: fc.array(commit, { minLength: 1, maxLength: 5 }) })],
  [8, fc.record({ step: named('find'), place, query, page })],
  [4, fc.record({ step: named('race'), writes: drafts, searchFirst: fc.boolean(), place, query, page })],
  [3, fc.record({ step: named('get'), place, ids: fc.array(id, { maxLength: 6 }) })],
  [
    3,
    fc.record({
      step: named('due'),
      kind: fc.constantFrom<DocumentKind>('token', 'audit'),
      beforeMs: time,
      limit: fc.nat(6),
    }),
  ],
  [1, fc.record({ step: named('lease'), holder: fc.constantFrom('one', 'two'), nowMs: time, untilMs: time })],
  [1, fc.record({ step: named('reopen', 'reopen', 'compact', 'clear') })],
)

interface ModelRun {
  readonly openModel: () => Promise<OpenEngine>
  readonly open: () => Promise<OpenEngine>
  readonly reopen: (store: OpenEngine) => Promise<OpenEngine>
  readonly runs: number
  /** Commits of several processes have no order: they are asked one after the other. */
  readonly oneByOne?: boolean
}

/** Random histories, after which the engine must return exactly what the naive model returns. */
export async function runStoreModel(
  t: Test,
  { openModel, open, reopen, runs, oneByOne = false }: ModelRun,
): Promise<void> {
  let steps = 0
  const histories = fc.array(step, { minLength: 30, maxLength: 120, size: 'max' })
  // Some histories begin just before the index goes on to its second block.
  const fillings = fc.constantFrom(0, 0, 0, 4_090)
  const property = fc.asyncProperty(fillings, histories, async (filling, history) => {
    const model = await openModel()
    let engine = await open()
    try {
      const writes = Array.from({ length: filling }, (_, index) => insert(`filling ${index}`, { terms: [0] }))
      for (const store of [model, engine]) await mustCommit(store, writes)
      for (const next of history) {
        steps++
        if (next.step === 'reopen') engine = await reopen(engine)
        if (next.step === 'race') {
          await race(next, engine, model)
        } else {
          const ask = await prepare(next, model, oneByOne)
          deepStrictEqual(await ask(engine), await ask(model))
        }
      }
    } finally {
      await engine.close()
    }
  })
  await t.resolves(fc.assert(property, { numRuns: runs }))
  t.comment(`${steps} steps`)
}

/** The step as a question to a store. What the question is depends on the model before it is asked. */
async function prepare(
  next: Exclude<Step, { step: 'race' }>,
  model: OpenEngine,
  oneByOne: boolean,
): Promise<(store: OpenEngine) => Promise<unknown>> {
  switch (next.step) {
    case 'commit': {
      const commits: { writes: Write[]; nowUs: number }[] = []
      for (const { writes, nowUs } of next.commits) {
        commits.push({ nowUs, writes: await Promise.all(writes.map(draft => complete(draft, model))) })
      }
      return async store => {
        const results: Promise<CommitResult>[] = []
        for (const { writes, nowUs } of commits) {
          results.push(store.commit(writes, nowUs))
          if (oneByOne) await results.at(-1)
        }
        return Promise.all(results)
      }
    }
    case 'find':
      return store => search(next, store)
    case 'get':
      return async store => {
        const documents = await store.get(next.place.kind, next.place.tenant, next.ids.map(digest))
        return documents.map(readable)
      }
    case 'due':
      return async store => {
        const first = await store.due(next.kind, next.beforeMs, next.limit)
        const all = await store.due(next.kind, next.beforeMs, 10_000)
        // The port does not say which of two with one due time comes first.
        const order = ({ tenant, id }: StoredDocument) => `${tenant} ${id}`
        all.sort((a, b) => (order(a) < order(b) ? -1 : 1))
        return { times: first.map(document => document.dueMs), all: all.map(readable) }
      }
    case 'lease':
      return store =>
        store.lease({ name: 'sweep', holder: next.holder, nowMs: next.nowMs, untilMs: next.untilMs })
    case 'reopen':
      return async () => undefined
    case 'compact':
      return store => store.compact()
    case 'clear':
      return store => store.clear()
  }
}

async function race(
  next: Extract<Step, { step: 'race' }>,
  engine: OpenEngine,
  model: OpenEngine,
): Promise<void> {
  const writes = await Promise.all(next.writes.map(draft => complete(draft, model)))
  const before = await search(next, model)
  const modelCommit = await model.commit(writes, 0)
  const after = await search(next, model)
  const searchingFirst = next.searchFirst ? search(next, engine) : undefined
  const committing = engine.commit(writes, 0)
  const found = await (searchingFirst ?? search(next, engine))
  deepStrictEqual(await committing, modelCommit)
  if (!isDeepStrictEqual(found, before)) deepStrictEqual(found, after)
}

async function search({ place, query, page }: Search, store: OpenEngine) {
  const { total, documents } = await store.find(place.kind, place.tenant, query, page)
  return { total, documents: documents.map(readable) }
}

async function complete(draft: Draft, model: OpenEngine): Promise<Write> {
  const address = { ...draft.place, id: digest(draft.id) }
  const [present] = await model.get(address.kind, address.tenant, [address.id])
  const version = Math.max(0, (present?.version ?? 0) + draft.versionOff)
  const content = {
    terms: draft.terms.map(digest),
    uniques: draft.uniques.map(digest),
    ...sealedAs(new Uint8Array(draft.boxSize).fill(draft.id)),
    ...(draft.dueMs === undefined ? {} : { dueMs: draft.dueMs }),
  }
  const { type } = draft
  switch (type) {
    case 'insert':
      return { type: 'insert', ...address, ...content }
    case 'replace':
      return { type: 'replace', version, ...address, ...content }
    case 'remove':
    case 'expect':
      return { type, version, ...address }
    case 'restore': {
      const newest = { nowMs: 0, offset: 0, limit: 1 }
      const [last] = (await model.find(address.kind, address.tenant, { op: 'all' }, newest)).documents
      const createdUs = Math.max(0, (last?.createdUs ?? 0) + draft.createdOff)
      const { modifiedOff } = draft
      const modified = modifiedOff === undefined ? {} : { modifiedUs: createdUs + modifiedOff }
      return { type, version: 2 + draft.id, createdUs, ...modified, ...address, ...content }
    }
  }
}

function readable(document: StoredDocument | undefined) {
  return document && { ...document, box: Buffer.from(document.box).toString('hex') }
}
