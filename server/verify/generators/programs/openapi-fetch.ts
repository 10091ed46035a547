import createClient from 'openapi-fetch'
import type { paths } from './client.ts'

const { URL: baseUrl = '', KEY = '', REACTOR = '' } = process.env
const client = createClient<paths>({ baseUrl, headers: { 'SVC-API-KEY': KEY } })
const body = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 },
} as const
const created = await client.POST('/tokens', { body })
if (!created.data) throw new Error(created.error.title)
const path = { id: created.data.id }
// It sends every body as JSON otherwise.
const updated = await client.PATCH('/tokens/{id}', {
  params: { path },
  body: { metadata: { order: 'A-1' }, expires_at: null },
  headers: { 'Content-Type': 'application/merge-patch+json' },
})
const read = await client.GET('/tokens/{id}', { params: { path } })
const listed = await client.GET('/tokens', {
  params: { query: { type: ['card'], metadata: { order: 'A-1' } } },
})
const found = await client.POST('/tokens/search', { body: { query: 'metadata.order:A-1' } })
const payload = await client.POST('/detokenize', {
  body: { card: `{{ ${created.data.id} | json: '$.number' }}` },
})
const reacted = await client.POST('/reactors/{id}/react', {
  params: { path: { id: REACTOR } },
  body: { args: { number: `{{ ${created.data.id} | json: '$.number' }}` } },
})
const refused = await client.GET('/tokens/{id}', { params: { path: { id: 'unknown' } } })
process.stdout.write(
  JSON.stringify({
    created: created.data.data,
    metadata: updated.data?.metadata,
    read: read.data?.data,
    total: listed.data?.pagination.total_items,
    found: found.data?.pagination.total_items,
    detokenized: payload.data,
    reacted: reacted.data?.raw,
    refused: [refused.response.status, refused.error?.title],
  }),
)
