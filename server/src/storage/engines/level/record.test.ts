import fc from 'fast-check'
import t from 'tap'
import { collectionOf } from '../../port/collection.ts'
import { digest, tenantA } from '../../port/port.samples.ts'
import { decodeDocument, decodeHeader, decodeOrdinal, encodeDocument, entriesOf, noValue } from './record.ts'

const digests = fc.array(fc.string().map(digest), { maxLength: 40 })
const maybe = fc.option(fc.maxSafeNat(), { nil: undefined })

t.test('a document reads back as it was written', async t => {
  fc.assert(
    fc.property(
      fc.record({
        ordinal: fc.maxSafeNat(),
        // 0 is not a version: it marks a value that was cut off.
        version: fc.integer({ min: 1, max: 0xffffffff }),
        createdUs: fc.maxSafeNat(),
        modifiedUs: maybe,
        dueMs: maybe,
        terms: digests,
        uniques: digests,
      }),
      fc.uint8Array({ maxLength: 300 }),
      (header, box) => {
        const bytes = encodeDocument(header, box)
        t.same(decodeHeader(bytes), header)
        t.equal(decodeOrdinal(bytes), header.ordinal)
        const { ordinal: _, modifiedUs, dueMs, ...rest } = header
        const document = decodeDocument({ kind: 'token', tenant: tenantA }, digest('a'), bytes)
        t.strictSame(document, {
          kind: 'token',
          tenant: tenantA,
          id: digest('a'),
          ...rest,
          ...(modifiedUs === undefined ? {} : { modifiedUs }),
          ...(dueMs === undefined ? {} : { dueMs }),
          box,
        })
      },
    ),
    { numRuns: 50 },
  )
})

// Each empty one would stay in memory: 78 bytes a token.
t.test('no value is empty', async t => {
  const header = {
    ...{ ordinal: 1, version: 1, createdUs: 1, modifiedUs: 2, dueMs: 3 },
    ...{ terms: [digest('term')], uniques: [digest('unique')] },
  }
  const entries = entriesOf(collectionOf({ kind: 'token', tenant: tenantA }), digest('a'), header)
  t.ok(entries.size > 4)
  for (const value of [noValue, ...entries.values()]) t.not(value.length, 0)
})

t.test('a token takes little more than its box and its digests', async t => {
  const header = {
    ordinal: 1,
    version: 1,
    createdUs: 1,
    modifiedUs: undefined,
    dueMs: undefined,
    uniques: [],
  }
  const terms = Array.from({ length: 10 }, (_, index) => digest(index))
  t.equal(encodeDocument({ ...header, terms }, new Uint8Array(600)).length, 600 + 10 * 22 + 41)
})
