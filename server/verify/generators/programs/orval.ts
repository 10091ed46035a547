import {
  detokenize,
  reactorsReact,
  tokensCreate,
  tokensGet,
  tokensList,
  tokensSearch,
  tokensUpdate,
} from './client.ts'

const { URL: baseUrl = '', KEY = '', REACTOR = '' } = process.env
// It asks for paths, without a key.
const send = globalThis.fetch
globalThis.fetch = (path, init) =>
  send(`${baseUrl}${path}`, { ...init, headers: { ...init?.headers, 'SVC-API-KEY': KEY } })
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2099 }
const created = await tokensCreate({ type: 'card', data: card })
if (created.status !== 200 && created.status !== 201) throw new Error(created.data.title)
const { id } = created.data
const updated = await tokensUpdate(id, { metadata: { order: 'A-1' }, expires_at: null })
const read = await tokensGet(id)
// It would write an object as `[object Object]`.
const metadata = JSON.stringify({ order: 'A-1' }) as never
const listed = await tokensList({ type: ['card'], metadata })
const found = await tokensSearch({ query: 'metadata.order:A-1' })
const payload = await detokenize({ card: `{{ ${id} | json: '$.number' }}` })
const reacted = await reactorsReact(REACTOR, { args: { number: `{{ ${id} | json: '$.number' }}` } })
const refused = await tokensGet('unknown')
process.stdout.write(
  JSON.stringify({
    created: created.data.data,
    metadata: updated.status === 200 ? updated.data.metadata : updated.data,
    read: read.status === 200 ? read.data.data : read.data,
    total: listed.status === 200 ? listed.data.pagination.total_items : listed.data,
    found: found.status === 200 ? found.data.pagination.total_items : found.data,
    detokenized: payload.data,
    reacted: reacted.status === 200 ? reacted.data.raw : reacted.data,
    refused: refused.status === 200 ? refused.data : [refused.status, refused.data.title],
  }),
)
