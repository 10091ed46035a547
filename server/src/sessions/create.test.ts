import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('a key and a nonce are too long to be guessed', async t => {
  const { asPublic } = await openTenant(openVault(t))
  const { json } = await asPublic('POST', '/sessions')
  t.match(json.session_key, /^key_ses_[A-Za-z0-9_-]{64}$/)
  t.match(json.nonce, /^nonce_[A-Za-z0-9_-]{32}$/)
})
