/**
 * The least a tokenization server on this stack can do for a request: node:http, JSON.parse, one AES-256-GCM,
 * and one LevelDB batch of as many keys as ours writes for a token (or one read). No contract, no keys, no
 * rules, no index that could be searched. What it reaches is the ceiling for anything built on the same parts.
 *
 * Arguments: a folder, and the number of keys per token.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClassicLevel } from 'classic-level'

const [folder = '', keysPerToken = '1'] = process.argv.slice(2)
const names = Array.from({ length: Number(keysPerToken) - 1 }, (_, index) => `${index}`)
const secret = randomBytes(32)
// As long as what an index entry of ours holds on average.
const entry = Buffer.alloc(16, 1)

const level = new ClassicLevel<string, Buffer>(folder, { keyEncoding: 'utf8', valueEncoding: 'buffer' })
await level.open()
const readOptions = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const

interface Job {
  readonly id: string
  readonly box: Buffer
  readonly done: () => void
}

let queue: Job[] = []
let writing = false

/** Group commit: all that arrives during one sync of the disk goes into the next batch. */
async function write(): Promise<void> {
  writing = true
  await Promise.resolve()
  while (queue.length > 0) {
    const jobs = queue
    queue = []
    const batch = level.batch()
    for (const { id, box } of jobs) {
      batch.put(`d${id}`, box)
      for (const name of names) batch.put(`${name}${id}`, entry)
    }
    await batch.write({ sync: true })
    for (const { done } of jobs) done()
  }
  writing = false
}

function create(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = randomUUID()
    const text = JSON.stringify({ id, ...JSON.parse(Buffer.concat(chunks).toString()) })
    queue.push({ id, box: seal(Buffer.from(text)), done: () => answer(response, 201, text) })
    if (!writing) void write()
  })
}

function get(request: IncomingMessage, response: ServerResponse): void {
  const id = request.url?.split('/')[2] ?? ''
  const box = level.getSync(`d${id}`, readOptions)
  if (box) answer(response, 200, open(box))
  else answer(response, 404, '')
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
  if (request.method === 'POST') create(request, response)
  else get(request, response)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
