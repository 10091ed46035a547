import fc from 'fast-check'
import t from 'tap'
import { type Digest, digestOfUuid, uuidOfDigest } from '../../port/port.ts'
import { documentOf, headerOf, isWithoutBox, PackedRows, placeOf, type Row } from './rows.ts'
import { reading, takeLease, writing } from './sql.ts'

const digest = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map(bytes => Buffer.from(bytes).toString('base64url') as Digest)
const hex = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`
const uuid = '00000000-0000-0000-0000-000000000000'
const rowOf = (...values: (string | null)[]) => [uuid, '5', ...values] as unknown as Row

t.test('every digest can be converted to a UUID and back', async t => {
  fc.assert(fc.property(digest, one => t.equal(digestOfUuid(uuidOfDigest(one)), one)))
})

t.test('what was packed is cut at the same places', async t => {
  const one = fc.record({ terms: fc.array(digest, { maxLength: 3 }), box: fc.uint8Array({ maxLength: 9 }) })
  fc.assert(
    fc.property(fc.array(one), all => {
      const packed = new PackedRows()
      const places = all.map(
        ({ terms, box }) => [packed.at, packed.packDigests(terms), packed.pack(box)] as const,
      )
      const [bytes] = packed.values() as [Buffer]
      for (const [index, [at, ofTerms, ofBox]] of places.entries()) {
        // As `substring` does, from 1.
        const cut = (from: number, length: number) => bytes.subarray(from - 1, from - 1 + length)
        const terms = hex(cut(at, ofTerms))
        const document = documentOf(
          'token',
          uuid,
          rowOf('1', '1', null, null, terms, '\\x', hex(cut(at + ofTerms, ofBox))),
        )
        t.same(document.terms, all[index]?.terms)
        t.same([...document.box], [...(all[index]?.box ?? [])])
      }
    }),
    { numRuns: 30 },
  )
})

t.test('a row is parsed into a document', async t => {
  const id = 'AAAAAAAAAAAAAAAAAAAAAA' as Digest
  const stamps = { version: 3, createdUs: Number.MAX_SAFE_INTEGER }
  const row = rowOf('3', '9007199254740991', null, null, '\\x', '\\x', '\\x00ff')
  const empty = { terms: [], uniques: [] }
  const found = documentOf('token', uuid, row)
  t.same(found, { ...{ kind: 'token', tenant: uuid, id }, ...stamps, ...empty, box: Buffer.from([0, 255]) })
  t.same(headerOf(row), [id, { ordinal: 5, ...stamps, ...empty }])
  const due = rowOf('3', '9007199254740991', '7', '0', `\\x${'0'.repeat(32)}`, '\\x', null)
  t.same(headerOf(due), [id, { ordinal: 5, ...stamps, modifiedUs: 7, dueMs: 0, terms: [id], uniques: [] }])
  t.equal(isWithoutBox(row), false)
  t.equal(isWithoutBox(due), true)
  t.same(placeOf(due), { id, createdUs: Number.MAX_SAFE_INTEGER })
})

/** A connection refuses a second text under the name of another statement. */
t.test('no two statements have the same name', async t => {
  const names = [...Object.values(reading), ...Object.values(writing), takeLease].map(({ name }) => name)
  t.ok(names.length > 20)
  const left = names.filter((name, at) => names.indexOf(name) !== at)
  t.same(left, [])
})
