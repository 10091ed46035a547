/**
 * The ceiling: the least that a server of these tokens can do for a request on this stack, so that its rate is an upper
 * limit. It does what the specification asks of every implementation, each in the shortest way that we know:
 *
 * - node:http, a key that is looked up, JSON parsed and written, a trace id in each response;
 * - a token with the members that responses show, sealed with AES-256-GCM; a keyed digest as its fingerprint, and one for
 *   each other value that searches find, since neither may be on disk in the clear;
 * - an audit entry of the same members as ours, sealed, in the commit of the write; after the response for a read that
 *   reveals, together with those of 10 ms;
 * - one LevelDB batch, synced, for all writes that arrive during the sync before it, with as many keys as ours;
 * - a masked read shows the data under the mask; a list has its 20 newest tokens in order, and the total.
 *
 * It leaves out what is ours or could be done in another way: the contract's validation, access rules, expressions
 * (masks, indexes and fingerprints are functions of this file), JSON that is refused because it would be altered, salts
 * and versions of keys, what makes a box open only in its place, bitmaps of the index, conditions, ordering by the
 * microsecond, and every limit.
 *
 * Arguments: a folder, and the number of keys that our server writes for each operation, as JSON.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemRandom } from '../src/base/random.ts'
import { KeyedDigest } from '../src/crypto/keyed-digest.ts'
import { tokenTypes } from '../src/generated/facts.ts'
import { CeilingStore } from './ceiling-store.ts'
import { bootstrap, maskingKey, privateKey } from './server-process.ts'
import type { KeysPer } from './subjects.ts'

interface Token {
  readonly id: string
  readonly type: 'card' | 'social_security_number'
  readonly data: string | { readonly number: string }
  readonly metadata?: Readonly<Record<string, string>>
  readonly created_at: string
}

const [folder = '', counts = '{}'] = process.argv.slice(2)
const keysPer: KeysPer = JSON.parse(counts)
const random = systemRandom()
const digests = new KeyedDigest(random.bytes(32))
const store = await CeilingStore.open(folder, random)
const tenant = bootstrap.tenants[0]?.id
const reveals = new Map([
  [privateKey, true],
  [maskingKey, false],
])

/** The text under a default mask: the last four characters. */
const lastFour = (text: string) => 'X'.repeat(text.length - 4) + text.slice(-4)

function masked(token: Token): Token {
  const { data } = token
  return {
    ...token,
    data: typeof data === 'string' ? lastFour(data) : { ...data, number: lastFour(data.number) },
  }
}

/** The values that are found only by searching for one of few tokens. Terms of whole groups are made once. */
function termsOf({ type, data, metadata = {} }: Token, fingerprint: string): string[] {
  const terms = Object.entries(metadata).map(([key, value]) => digests.short('metadata', key, value))
  terms.push(fingerprint)
  if (type !== 'card' && typeof data === 'string') {
    for (const pattern of [data, data.replaceAll('-', ''), data.slice(-4)])
      terms.push(digests.short('data', pattern))
  }
  return terms
}

function create(response: ServerResponse, body: Token): void {
  const { mask, containers, fingerprintExpression, searchIndexes } = tokenTypes[body.type]
  const fingerprint = digests.hex(body.type, typeof body.data === 'string' ? body.data : body.data.number)
  const token = {
    ...body,
    id: random.uuid(),
    tenant_id: tenant,
    containers,
    mask,
    fingerprint,
    fingerprint_expression: fingerprintExpression,
    ...(searchIndexes.length > 0 ? { search_indexes: searchIndexes } : {}),
    created_by: privateKey.slice(-8),
    created_at: new Date().toISOString(),
  }
  const keys = keysPer[body.type === 'card' ? 'create' : 'create indexed'] ?? 0
  store.insert(token, auditOf('token:create', token.id), termsOf(token, fingerprint), keys, () =>
    respond(response, 201, JSON.stringify(masked(token))),
  )
}

function patch(response: ServerResponse, id: string, { metadata }: Token): void {
  const before: Token = JSON.parse(store.get(id))
  const now = new Date().toISOString()
  const token = {
    ...before,
    metadata: { ...before.metadata, ...metadata },
    modified_by: tenant,
    modified_at: now,
  }
  store.replace(token, auditOf('token:update', id), termsOf(token, ''), keysPer.patch ?? 0, () =>
    respond(response, 200, JSON.stringify(token)),
  )
}

/** The members of an audit entry of ours. */
function auditOf(operation: string, entity_id: string) {
  return {
    id: random.uuid(),
    operation,
    entity_type: 'token',
    entity_id,
    actor_id: tenant,
    actor_type: 'application',
    outcome: 'success',
  }
}

function get(response: ServerResponse, id: string, isRevealed: boolean): void {
  const token: Token = JSON.parse(store.get(id))
  respond(response, 200, JSON.stringify(isRevealed ? token : masked(token)))
  if (isRevealed) note(id)
}

/** Records a read that reveals after its response, in batches of ten milliseconds, as our server does. */
function note(id: string): void {
  if (notes.push(id) === 1) setTimeout(writeNotes, 10)
}

let notes: string[] = []

function writeNotes(): void {
  for (const id of notes) store.append(auditOf('token:read', id), keysPer['get revealed'] ?? 0)
  notes = []
}

async function list(response: ServerResponse): Promise<void> {
  const size = 20
  const data = (await store.newest(size)).map(text => masked(JSON.parse(text)))
  const total = store.total
  const pagination = {
    total_items: total,
    page_number: 1,
    page_size: size,
    total_pages: Math.ceil(total / size),
  }
  respond(response, 200, JSON.stringify({ pagination, data }))
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'SVC-TRACE-ID': random.uuid(),
  })
  response.end(body)
}

function readBody(request: IncomingMessage, use: (body: Token) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => use(JSON.parse(Buffer.concat(chunks).toString())))
}

const server = createServer((request, response) => {
  const isRevealed = reveals.get(String(request.headers['svc-api-key']))
  const id = request.url?.split('/')[2] ?? ''
  if (isRevealed === undefined) respond(response, 401, '')
  else if (request.method === 'POST') readBody(request, body => create(response, body))
  else if (request.method === 'PATCH') readBody(request, body => patch(response, id, body))
  else if (request.url === '/tokens') void list(response)
  else get(response, id, isRevealed)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
