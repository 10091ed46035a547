import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { keyedDigest } from './digest.ts'

t.test('a keyed digest is 16 bytes and no bit more', async t => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.string(), (key, text) => {
      const digest = keyedDigest(key, text)
      const bytes = createHmac('sha256', key).update(`${text.length}:${text}`).digest().subarray(0, 16)
      t.equal(digest, bytes.toString('base64url'))
    }),
  )
})

t.test('parts do not run into each other', async t => {
  const key = randomBytes(32)
  t.not(keyedDigest(key, 'ab', 'c'), keyedDigest(key, 'a', 'bc'))
  t.not(keyedDigest(key, 'abc'), keyedDigest(key, 'ab', 'c'))
  t.equal(keyedDigest(key, 'ab', 'c'), keyedDigest(key, 'ab', 'c'))
})
