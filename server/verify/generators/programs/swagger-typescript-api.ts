import { Api } from './client.ts'

const { URL: baseUrl = '', KEY = '', REACTOR = '' } = process.env
const customFetch: typeof fetch = (url, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('SVC-API-KEY', KEY)
  // It sends every body as JSON otherwise.
  if (init.method === 'PATCH') headers.set('Content-Type', 'application/merge-patch+json')
  return fetch(url, { ...init, headers })
}
const { tokens, detokenize, reactors } = new Api({ baseUrl, customFetch })
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 }
const created = await tokens.tokensCreate({ type: 'card', data: card })
const { id } = created.data
const updated = await tokens.tokensUpdate(id, { metadata: { order: 'A-1' }, expires_at: null })
const read = await tokens.tokensGet(id)
// It would write an object as `[object Object]`.
const metadata = JSON.stringify({ order: 'A-1' }) as never
const listed = await tokens.tokensList({ type: ['card'], metadata })
const found = await tokens.tokensSearch({ query: 'metadata.order:A-1' })
const payload = await detokenize.detokenize({ card: `{{ ${id} | json: '$.number' }}` })
const reacted = await reactors.reactorsReact(REACTOR, { args: { number: `{{ ${id} | json: '$.number' }}` } })
const refused = await tokens.tokensGet('unknown').catch(response => response)
process.stdout.write(
  JSON.stringify({
    created: created.data.data,
    metadata: updated.data.metadata,
    read: read.data.data,
    total: listed.data.pagination.total_items,
    found: found.data.pagination.total_items,
    detokenized: payload.data,
    reacted: reacted.data.raw,
    refused: [refused.status, refused.error.title],
  }),
)
