import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { anyText } from '../../testing/any-text.ts'
import { KeyedDigest } from './keyed-digest.ts'

const key = fc.uint8Array({ minLength: 1, maxLength: 64 })
/** Short ones, and such as are around and beyond what is hashed in one go. */
const part = fc.oneof(
  anyText(),
  anyText({ minLength: 250, maxLength: 1200 }),
  fc.array(fc.integer({ min: 0xd800, max: 0xdfff })).map(units => String.fromCharCode(...units)),
)

t.test('the digest is HMAC-SHA256', async () => {
  fc.assert(
    fc.property(key, fc.array(part, { minLength: 1, maxLength: 4 }), (key, parts) => {
      const message = parts.map(one => `${one.length}:${one}`).join('')
      const expected = createHmac('sha256', key).update(message)
      return new KeyedDigest(key).hex(...parts) === expected.digest('hex')
    }),
  )
})

t.test('a digest does not depend on those before it', async () => {
  fc.assert(
    fc.property(key, part, part, (key, before, message) => {
      const digest = new KeyedDigest(key)
      digest.short('term', before)
      return digest.short('term', message) === new KeyedDigest(key).short('term', message)
    }),
  )
})

t.test('the short form is exactly the first 16 bytes of the whole', async () => {
  fc.assert(
    fc.property(key, part, (key, message) => {
      const digest = new KeyedDigest(key)
      const bytes = Buffer.from(digest.hex('term', message), 'hex').subarray(0, 16)
      return digest.short('term', message) === bytes.toString('base64url')
    }),
  )
})

t.test('different parts have different digests even where their concatenation is equal', async t => {
  const digest = new KeyedDigest(Buffer.from('key'))
  t.not(digest.short('ab', 'c'), digest.short('a', 'bc'))
  t.not(digest.short('ab'), digest.short('a', 'b'))
})

t.test('a key that RFC 2104 would hash first is refused', async t => {
  t.throws(() => new KeyedDigest(Buffer.alloc(65)), RangeError)
  t.ok(new KeyedDigest(Buffer.alloc(64)).hex('a'))
})
