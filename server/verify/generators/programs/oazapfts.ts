import * as api from './client.ts'

const { URL: baseUrl = '', KEY = '', REACTOR = '' } = process.env
api.defaults.baseUrl = baseUrl
api.defaults.headers = { 'SVC-API-KEY': KEY }
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 }
// It sends every body as JSON otherwise.
const patch = { headers: { 'Content-Type': 'application/merge-patch+json' } }
const created = await api.tokensCreate({ type: 'card', data: card })
if (created.status !== 200 && created.status !== 201) throw new Error(created.data.title)
const { id } = created.data
const updated = await api.tokensUpdate(id, { metadata: { order: 'A-1' }, expires_at: null }, {}, patch)
const read = await api.tokensGet(id)
const listed = await api.tokensList({ $type: ['card'], metadata: { order: 'A-1' } })
const found = await api.tokensSearch({ query: 'metadata.order:A-1' })
const payload = await api.detokenize({ card: `{{ ${id} | json: '$.number' }}` })
const reacted = await api.reactorsReact(REACTOR, { args: { number: `{{ ${id} | json: '$.number' }}` } })
const refused = await api.tokensGet('unknown')
process.stdout.write(
  JSON.stringify({
    created: created.data.data,
    metadata: updated.status === 200 ? updated.data.metadata : updated.data,
    read: read.status === 200 ? read.data.data : read.data,
    total: listed.status === 200 ? listed.data.pagination.total_items : listed.data,
    found: found.status === 200 ? found.data.pagination.total_items : found.data,
    detokenized: payload.data,
    reacted: reacted.status === 200 && 'raw' in reacted.data ? reacted.data.raw : reacted,
    refused: refused.status === 200 ? refused.data : [refused.status, refused.data.title],
  }),
)
