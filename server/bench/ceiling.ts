/**
 * The minimum that a tokenization server on this stack must do for a request: node:http, JSON.parse, one
 * AES-256-GCM, and one LevelDB batch with as many keys as our server writes (or one read; a read that reveals also
 * writes as many keys as ours). No contract, no API keys, no rules, no searchable index. Its rate is the upper limit
 * for anything built on the same parts.
 *
 * Arguments: a folder, and the number of keys that our server writes for each operation, as JSON.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Level } from 'level'
import { privateKey } from './server-process.ts'

const [folder = '', counts = '{}'] = process.argv.slice(2)
const keysPer = JSON.parse(counts) as Record<string, number>
const namesOf = (operation: string) =>
  Array.from({ length: Math.round(keysPer[operation] ?? 1) - 1 }, (_, index) => `${index}`)
const names = {
  card: namesOf('create'),
  indexed: namesOf('create indexed'),
  patch: namesOf('patch'),
  read: namesOf('get revealed'),
}
const secret = randomBytes(32)
// The average length of our index entries.
const entry = Buffer.alloc(16, 1)

const level = new Level<string, Buffer>(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer' })
await level.open()
const readOptions = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const

interface Job {
  readonly id: string
  readonly box: Buffer
  readonly names: readonly string[]
  readonly done: () => void
}

let queue: Job[] = []
let writing = false

/** Group commit: all writes that arrive during one disk sync go into the next batch. */
async function write(): Promise<void> {
  writing = true
  await Promise.resolve()
  while (queue.length > 0) {
    const jobs = queue
    queue = []
    const batch = level.batch()
    for (const { id, box, names } of jobs) {
      batch.put(`d${id}`, box)
      for (const name of names) batch.put(`${name}${id}`, entry)
    }
    await batch.write({ sync: true })
    for (const { done } of jobs) done()
  }
  writing = false
}

function store(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Token
    if (request.method === 'POST') {
      const written = body.type === 'social_security_number' ? names.indexed : names.card
      return put({ ...body, id: randomUUID() }, written, text => answer(response, 201, text))
    }
    const box = level.getSync(`d${idOf(request)}`, readOptions)
    if (!box) return answer(response, 404, '')
    const token = JSON.parse(open(box).toString()) as Token
    put({ ...token, metadata: { ...token.metadata, ...body.metadata } }, names.patch, text =>
      answer(response, 200, text),
    )
  })
}

function put(token: Token, names: readonly string[], done: (text: string) => void): void {
  const text = JSON.stringify(token)
  queue.push({ id: token.id, box: seal(Buffer.from(text)), names, done: () => done(text) })
  if (!writing) void write()
}

interface Token {
  readonly id: string
  readonly type: string
  readonly metadata?: object
}

const idOf = (request: IncomingMessage) => request.url?.split('/')[2] ?? ''

/** Returns the last 20 by key: a page without its own order, and without a total. */
async function list(response: ServerResponse): Promise<void> {
  const iterator = level.values({ gte: 'd', lt: 'e', reverse: true, limit: 20, ...readOptions })
  const boxes = await iterator.nextv(20)
  void iterator.close()
  answer(response, 200, `{"data":[${boxes.map(box => open(box).toString()).join(',')}]}`)
}

function get(request: IncomingMessage, response: ServerResponse): void {
  const id = idOf(request)
  const box = level.getSync(`d${id}`, readOptions)
  if (box) answer(response, 200, open(box))
  else answer(response, 404, '')
  if (request.headers['svc-api-key'] === privateKey) note(id)
}

/** Records a read that reveals after its response, in batches of ten milliseconds, as our server does. */
function note(id: string): void {
  if (notes.push(id) === 1) setTimeout(writeNotes, 10)
}

let notes: string[] = []

function writeNotes(): void {
  const text = (id: string) => JSON.stringify({ id, operation: 'token:read', outcome: 'success' })
  for (const id of notes) {
    queue.push({ id: randomUUID(), box: seal(Buffer.from(text(id))), names: names.read, done: () => {} })
  }
  notes = []
  if (!writing) void write()
}

function seal(plain: Buffer): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce)
  const body = cipher.update(plain)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

function open(box: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', secret, box.subarray(0, 12))
  decipher.setAuthTag(box.subarray(-16))
  const plain = decipher.update(box.subarray(12, -16))
  decipher.final()
  return plain
}

function answer(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer((request, response) => {
  if (request.method !== 'GET') store(request, response)
  else if (request.url === '/tokens') void list(response)
  else get(request, response)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
