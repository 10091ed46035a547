import { createApiClient } from './client.ts'

const { URL: baseUrl = '', KEY = '', REACTOR = '' } = process.env
// The default of axios, `type[]=card`, is refused.
const paramsSerializer = { indexes: null }
const client = createApiClient(baseUrl, {
  axiosConfig: { headers: { 'SVC-API-KEY': KEY }, paramsSerializer },
})
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 }
const created = await client.post('/tokens', { type: 'card', data: card })
const { id } = created
const updated = await client.patch(
  '/tokens/:id',
  { metadata: { order: 'A-1' }, expires_at: null },
  { params: { id }, headers: { 'Content-Type': 'application/merge-patch+json' } },
)
const read = await client.get('/tokens/:id', { params: { id } })
const listed = await client.get('/tokens', { queries: { type: ['card'], metadata: { order: 'A-1' } } })
const found = await client.post('/tokens/search', { query: 'metadata.order:A-1' })
const payload = await client.post('/detokenize', { card: `{{ ${id} | json: '$.number' }}` })
const reacted = await client.post(
  '/reactors/:id/react',
  { args: { number: `{{ ${id} | json: '$.number' }}` } },
  { params: { id: REACTOR } },
)
const refused = await client.get('/tokens/:id', { params: { id: 'unknown' } }).catch(error => error.response)
process.stdout.write(
  JSON.stringify({
    created: created.data,
    metadata: updated.metadata,
    read: read.data,
    total: listed.pagination.total_items,
    found: found.pagination.total_items,
    detokenized: payload,
    reacted: reacted.raw,
    refused: [refused.status, refused.data.title],
  }),
)
