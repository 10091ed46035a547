import fc from 'fast-check'
import t from 'tap'
import { type Digest, digestOfUuid, uuidOfDigest } from '../../port/port.ts'
import { digestsOf, documentOf, uuidArrayOf } from './rows.ts'

const digest = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map(bytes => Buffer.from(bytes).toString('base64url') as Digest)

t.test('every digest can be converted to a UUID and back', async t => {
  fc.assert(fc.property(digest, one => t.equal(digestOfUuid(uuidOfDigest(one)), one)))
  fc.assert(fc.property(fc.array(digest), all => t.same(digestsOf(uuidArrayOf(all)), all)))
})

t.test('a row is parsed into a document', async t => {
  const id = 'AAAAAAAAAAAAAAAAAAAAAA' as Digest
  const uuid = '00000000-0000-0000-0000-000000000000'
  const row = [uuid, '3', '9007199254740991', null, null, '{}', '{}', '\\x00ff'] as const
  const place = { kind: 'token', tenant: uuid, id, version: 3, createdUs: Number.MAX_SAFE_INTEGER }
  const bytes = Buffer.from([0, 255])
  t.same(documentOf('token', uuid, row), { ...place, terms: [], uniques: [], box: bytes })
  t.same(documentOf('token', uuid, [uuid, '3', '9007199254740991', '7', '0', `{${uuid}}`, '{}', '\\x']), {
    ...place,
    modifiedUs: 7,
    dueMs: 0,
    terms: [id],
    uniques: [],
    box: Buffer.alloc(0),
  })
})
