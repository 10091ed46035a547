import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { Hmac } from './hmac.ts'

t.test('digests are those of HMAC-SHA256, for keys and texts of any length', async t => {
  const key = fc.uint8Array({ maxLength: 130 })
  fc.assert(
    fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (key, text) => {
      for (const encoding of ['hex', 'base64url'] as const)
        t.equal(new Hmac(key).digest(text, encoding), createHmac('sha256', key).update(text).digest(encoding))
    }),
  )
})
