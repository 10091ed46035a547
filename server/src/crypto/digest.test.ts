import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { anyText } from '../../verify/support/any-text.ts'
import { Hmac, KeyedDigest } from './digest.ts'

const key = fc.uint8Array({ minLength: 1, maxLength: 64 })
const part = anyText()

t.test('digests stay what they are: stores and backups are found by them', async t => {
  const digest = new KeyedDigest(Uint8Array.from({ length: 32 }, (_, index) => index))
  const known: readonly [parts: readonly string[], hex: string][] = [
    [[''], '78185274252e33d992600df95d58e9f5e90a449a7c1d7913c0fbf4fb6353bfc2'],
    [['ab', 'c'], 'af0943cb5ef8d181e5c3f4c6b3ed71ebd214e7a6eb55a0c8870b59670f6b7371'],
    [['term', 'größe 😀'], '9ee9e96a7f247548d399d7f29289e74be71b9247da1cde3832ffe5a9be032044'],
    [['x'.repeat(2000)], 'd62e5e6c824e2da28a2e4252906cc37c99a0183e80757ef1449b1c55b95ff1a9'],
    [['\ud800'], '72888d70a7e2846058e45371e043029b73007d011d5c3c4422450881f639e39b'],
  ]
  for (const [parts, hex] of known) {
    t.equal(digest.hex(...parts), hex)
    t.equal(digest.short(...parts), Buffer.from(hex, 'hex').subarray(0, 16).toString('base64url'))
  }
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

t.test('digests are those of HMAC-SHA256, for keys and texts of any length', async t => {
  const key = fc.uint8Array({ maxLength: 130 })
  fc.assert(
    fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (key, text) => {
      for (const encoding of ['hex', 'base64url'] as const)
        t.equal(new Hmac(key).digest(text, encoding), createHmac('sha256', key).update(text).digest(encoding))
    }),
  )
})
