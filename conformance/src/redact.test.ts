import tap from 'tap'
import type { Exchange, Target } from './harness/target.ts'
import { redactor } from './redact.ts'

const redact = redactor({ privateKey: 'key_prv_very_secret' } as Target)
const answered = (nonce: string) => [
  { text: JSON.stringify({ nonce }), requestHeaders: {} } as unknown as Exchange,
]

tap.test('a short secret is replaced as a whole value, and not within other words', t => {
  const exchanges = answered('x')
  t.equal(redact('a short text: expected 404', exchanges), 'a short text: expected 404')
  t.equal(redact('{"nonce":"x","next":"xx"}', exchanges), '{"nonce":"[redacted]","next":"xx"}')
  t.equal(redact('found "{\\"nonce\\":\\"x\\"}"', exchanges), 'found "{\\"nonce\\":\\"[redacted]\\"}"')
  t.equal(redact('X-Nonce: x\nX-Text: an x\n', exchanges), 'X-Nonce: [redacted]\nX-Text: an x\n')
  t.equal(redact('x', exchanges), '[redacted]')
  t.end()
})

tap.test('a longer secret is replaced wherever it is', t => {
  t.equal(redact('akey_prv_very_secretb nonce-12', answered('nonce-12')), 'a[redacted]b [redacted]')
  t.end()
})
