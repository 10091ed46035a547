import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('the refusal of indexes over data that cannot be searched says what to do', async t => {
  const { send } = await openTenant(openVault(t))
  const card = { type: 'card', data: { number: '4242424242424242' } }
  const search_indexes = ['{{ data.number | last4 }}']
  const says = {
    status: 400,
    json: { errors: { search_indexes: [/^must be empty: .+ into metadata .+ search metadata\.KEY$/] } },
  }
  t.match(await send('POST', '/tokens', { ...card, search_indexes }), says)
  const { id } = (await send('POST', '/tokens', { ...card, search_indexes: [] })).json
  t.match(await send('PATCH', `/tokens/${id}`, { search_indexes }), says)
  t.equal((await send('PATCH', `/tokens/${id}`, { search_indexes: null })).status, 200, 'control')
})
